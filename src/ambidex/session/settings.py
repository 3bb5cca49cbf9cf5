"""What the configuration says about the pipeline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.config import keys
from ambidex.config.config import Config
from ambidex.contracts.call import Mode
from ambidex.policy.limits import DEFAULTS, ConfirmationLimits, Limits, Retention


@dataclass(frozen=True, slots=True)
class Settings:
    public: Mapping[str, Any]
    production: bool
    limits: Mapping[Mode, Limits]
    confirmation: ConfirmationLimits
    retention: Retention


def settings_of(given: Config | Mapping[str, Any] | str | os.PathLike[str] | None) -> Settings:
    """From a path, a mapping of keys, or a Config; by default from `./ambidex.toml` if it is there."""
    if isinstance(given, Config):
        config = given
    elif isinstance(given, Mapping):
        config = Config.load(overrides=given)
    else:
        config = Config.load(Path(given) if given is not None else None)
    return Settings(
        public=config.public(),
        production=config[keys.ENVIRONMENT] == "production",
        limits=dict(DEFAULTS),
        confirmation=ConfirmationLimits(),
        retention=Retention(),
    )

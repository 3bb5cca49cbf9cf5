"""What the configuration says about the pipeline, in the words of the parts that it is for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ambidex.config import keys
from ambidex.config.config import Config
from ambidex.config.keys import Key
from ambidex.contracts.call import Mode
from ambidex.policy.limits import ConfirmationLimits, Limits, Retention

_HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Settings:
    config: Config
    public: Mapping[str, Any]
    """What conditions and handlers see."""
    production: bool
    limits: Mapping[Mode, Limits]
    confirmation: ConfirmationLimits
    retention: Retention
    grace_seconds: float
    audit_rotate_bytes: int


def settings_of(given: Config | Mapping[str, Any] | str | os.PathLike[str] | None) -> Settings:
    """From a path, a mapping of keys, or a Config; by default from `./ambidex.toml` if it is there."""
    config = _config(given)
    return Settings(
        config=config,
        public=config.public(),
        production=config[keys.ENVIRONMENT] == "production",
        limits={Mode.VOICE: _limits(config, keys.VOICE_LIMITS), Mode.TEXT: _limits(config, keys.TEXT_LIMITS)},
        confirmation=ConfirmationLimits(
            ttl_ms=config[keys.CONFIRMATION_TTL_SECONDS] * 1000,
            pending=config[keys.CONFIRMATION_PENDING],
            hourly=config[keys.CONFIRMATION_HOURLY],
        ),
        retention=Retention(
            rows_ms=config[keys.RETENTION_HOURS] * _HOUR_MS,
            reads=config[keys.RETENTION_READS],
            writes=config[keys.RETENTION_WRITES],
        ),
        grace_seconds=config[keys.GRACE_SECONDS],
        audit_rotate_bytes=config[keys.AUDIT_ROTATE_BYTES],
    )


def _config(given: Config | Mapping[str, Any] | str | os.PathLike[str] | None) -> Config:
    if isinstance(given, Config):
        return given
    if isinstance(given, Mapping):
        return Config.load(overrides=given)
    return Config.load(Path(given) if given is not None else None)


def _limits(config: Config, table: Mapping[str, Key[int]]) -> Limits:
    limits = Limits(**{name: config[key] for name, key in table.items()})
    return limits if limits.turn_ms else replace(limits, turn_ms=None)

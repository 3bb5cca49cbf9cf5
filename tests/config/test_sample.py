"""The file that `ambidex init` writes."""

from __future__ import annotations

import re
from pathlib import Path

from ambidex.config import Config
from ambidex.config.keys import KEYS
from ambidex.config.sample import sample_toml


def test_the_sample_sets_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ambidex.toml"
    path.write_text(sample_toml())
    assert {setting.origin for setting in Config.load(path, environ={}).settings.values()} == {"default"}


def test_uncommented_it_sets_every_key_to_its_default(tmp_path: Path) -> None:
    path = tmp_path / "ambidex.toml"
    path.write_text(re.sub(r"(?m)^#(?! )", "", sample_toml()))
    config = Config.load(path, environ={})
    assert {setting.origin for setting in config.settings.values()} == {str(path)}
    for key in KEYS:
        value = config[key]
        expected = key.kind.check(key.default)
        assert value == (tmp_path / expected if isinstance(expected, Path) else expected)

"""Options become configuration only where they were given."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.cli.options import load_config
from ambidex.config import keys


def test_an_option_that_was_not_given_leaves_the_configured_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ambidex.toml").write_text("tools = 'mine'\n[build]\nstrict = true\n")
    config = load_config(None, tools=None, build__strict=None)
    assert (config[keys.TOOLS], config[keys.BUILD_STRICT]) == (tmp_path / "mine", True)


def test_one_that_was_given_counts_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AMBIDEX_BUILD_STRICT", "true")
    config = load_config(None, tools=Path("here"), build__strict=False)
    assert (config[keys.TOOLS], config[keys.BUILD_STRICT]) == (tmp_path / "here", False)
    assert config.origin(keys.BUILD_STRICT) == "argument"

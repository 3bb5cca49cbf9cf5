"""Where the shipped tools are."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex import shipped
from ambidex.errors import AmbidexError


def test_the_folder_holds_tools_and_prompts() -> None:
    home = shipped.path()
    assert (home / "tools" / "format-datetime" / "schema.json").is_file()
    assert (home / "prompts" / "core.md").is_file()


def test_an_installed_package_finds_them_inside_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "prompts").mkdir()
    monkeypatch.setattr(shipped, "_INSTALLED", tmp_path)
    assert shipped.path() == tmp_path


def test_an_installation_without_them_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "_INSTALLED", tmp_path)
    monkeypatch.setattr(shipped, "_CHECKOUT", tmp_path)
    with pytest.raises(AmbidexError, match="install ambidex again"):
        shipped.path()

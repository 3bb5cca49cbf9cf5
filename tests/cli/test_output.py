"""The small things every command speaks with."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from ambidex.cli.output import columns, on_terminal, plural, shown


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_columns_are_aligned_and_nothing_is_cut() -> None:
    long = "x" * 300
    assert columns([("a", "bb"), ("ccc", long)]) == f"a    bb\nccc  {long}"


def test_a_dumb_terminal_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert on_terminal(Terminal())
    assert not on_terminal(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not on_terminal(Terminal())


def test_a_path_is_shown_as_one_would_write_it_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown(tmp_path / "tools" / "x") == str(Path("tools/x"))
    assert shown(tmp_path.parent) == str(tmp_path.parent)


def test_one_is_not_plural() -> None:
    assert (plural(1, "tool"), plural(0, "tool"), plural(2, "tool")) == ("1 tool", "0 tools", "2 tools")

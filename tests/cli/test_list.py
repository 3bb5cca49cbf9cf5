"""`ambidex list`: the tools at a glance."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from rich.console import Console

from ambidex.cli.list import drawn

Run = Callable[..., Result]


def names(result: Result) -> list[str]:
    return [line.split()[0] for line in result.stdout.splitlines()[1:]]


def test_every_tool_is_a_line(run: Run, built: Path) -> None:
    result = run("list")
    assert names(result) == ["count_words", "opening_hours", "send_note"]
    head, words, hours, note = result.stdout.splitlines()
    assert head.split() == ["tool", "category", "modes", "effects", "confirmation", "budget", "summary"]
    assert words.split()[:6] == ["count_words", "utility", "text", "none", "no", "100"]
    assert "text, voice  read only" in hours
    assert "writes" in note
    assert "always" in note
    assert "plans a visit." in hours, "summaries are whole in a pipe"
    assert result.stderr.startswith("3 tools, registry 1.0.")


def test_it_can_be_narrowed(run: Run, built: Path) -> None:
    assert names(run("list", "--mode", "voice")) == ["opening_hours", "send_note"]
    assert names(run("list", "--category", "utility")) == ["count_words"]
    assert run("list", "--mode", "voice", "--category", "utility").stdout == ""


def test_json_has_the_metadata(run: Run, built: Path) -> None:
    document = json.loads(run("list", "--json").stdout)
    assert document["ok"] is True
    assert document["registryVersion"].startswith("1.0.")
    assert "gitCommit" in document
    assert [tool["toolId"] for tool in document["tools"]] == ["count_words", "opening_hours", "send_note"]
    assert document["tools"][2]["requiresConfirmation"] is True


def test_without_an_artifact_it_says_how_to_get_one(run: Run, project: Path) -> None:
    result = run("list", code=1)
    assert "there is no artifact" in result.stderr
    assert "next: run `ambidex build`" in result.stderr


def test_another_artifact_can_be_named(run: Run, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(names(run("list", "--artifact", str(built / "tool_registry.json")))) == 3


def test_an_altered_artifact_is_refused(run: Run, built: Path) -> None:
    path = built / "tool_registry.json"
    path.write_bytes(path.read_bytes().replace(b"Counts", b"Counted", 1))
    assert "next: run `ambidex build`" in run("list", code=1).stderr


ROWS = [("a_tool", "action", "text", "writes", "always", "5 ms", "[red]not markup[/red]")]


def on_screen(width: int) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(drawn(ROWS, width))
    return stream.getvalue()


def test_a_terminal_gets_a_table_that_takes_text_literally() -> None:
    assert "[red]not markup[/red]" in on_screen(140)


def test_a_narrow_terminal_gets_whole_columns_without_summaries() -> None:
    seen = on_screen(80)
    assert "summary" not in seen
    assert "confirmation" in seen
    assert "…" not in seen

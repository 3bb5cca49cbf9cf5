"""`ambidex stats`: how the tools do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from tests.audit.making import exporter

from ambidex.audit.chain import append
from ambidex.audit.events import Event, EventKind
from ambidex.cli.stats_table import HEAD
from ambidex.stores.open import open_store

Run = Callable[..., Result]


@pytest.fixture
def called(run: Run, built: Path) -> Path:
    """A project in which calls were made: two that went well, a refusal, a request."""
    for text in ("one", "two words"):
        run("call", "count-words", json.dumps({"text": text}), "--mode", "text")
    run("call", "count-words", "{}", "--mode", "text", code=1)
    run("call", "send-note", '{"text": "hello"}', "--mode", "text", code=1)
    return built


def table(result: Result) -> list[dict[str, str]]:
    """Cells are two spaces apart, at least."""
    head, *rows = (re.split(r" {2,}", line) for line in result.stdout.splitlines() if line)
    return [dict(zip(head, row, strict=False)) for row in rows]


def test_every_tool_that_was_called_is_a_line(run: Run, called: Path) -> None:
    result = run("stats")
    words, note = table(result)
    assert result.stdout.split("\n")[0].split() == list(HEAD)
    assert (words["tool"], words["calls"], words["ok"], words["refused"]) == ("count_words", "3", "66.7%", "1")
    assert words["errors"] == "VALIDATION 1"
    assert (note["tool"], note["calls"], note["asked"], note["ok"]) == ("send_note", "1", "1", "-")
    assert result.stderr.startswith("4 calls, 4 turns, 4 sessions; registry 1.0.")
    assert "\x1b" not in result.output, "no colours in a pipe"


def test_json_has_the_numbers_of_every_tool(run: Run, called: Path) -> None:
    document = json.loads(run("stats", "--json").stdout)
    assert document["ok"] is True
    assert set(document["tools"]) == {"count_words", "opening_hours", "send_note", "unknown"}
    words = document["tools"]["count_words"]
    assert (words["calls"], words["ok"], words["refusals"]) == (3, 2, {"arguments_are_valid": 1})
    assert words["budgetMs"] == 100
    assert words["p50Ms"] <= words["p95Ms"]
    assert document["sessions"]["text"]["turns"] == 4


def test_nothing_recorded_yet_is_said_and_makes_no_store(run: Run, built: Path) -> None:
    assert "nothing was recorded yet" in run("stats", code=1).stderr
    assert not (built / "ambidex.db").exists()


def test_a_store_without_calls_has_no_table(run: Run, built: Path) -> None:
    open_store("sqlite:ambidex.db").close()
    result = run("stats")
    assert result.stdout == ""
    assert result.stderr.startswith("0 calls, 0 turns, 0 sessions")


def test_without_an_artifact_it_says_how_to_get_one(run: Run, project: Path) -> None:
    assert "next: run `ambidex build`" in run("stats", code=1).stderr


def test_exported_files_are_counted_where_there_is_no_store(run: Run, called: Path) -> None:
    wanted = json.loads(run("stats", "--json").stdout)
    store = open_store("sqlite:ambidex.db")
    exporter(store, called / "audit").drain(last=True)
    store.close()
    assert json.loads(run("stats", "--json", "--store", "sqlite:absent.db").stdout) == wanted


def test_watching_for_a_program_is_refused(run: Run, called: Path) -> None:
    assert "--watch draws for a person" in run("stats", "--watch", "--json", code=2).stderr


@pytest.fixture
def passing_time(called: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each wait sees one more thing happen: nothing, then a call; then the reader has seen enough."""
    happening = [[], [Event(event=EventKind.CALL_FINISHED, tool="send_note", ok=True, duration=3000.0)]]

    def meanwhile(_: float) -> None:
        if not happening:
            raise KeyboardInterrupt
        store = open_store("sqlite:ambidex.db")
        events = happening.pop(0)
        store.run(lambda tx: append(tx, events))
        store.close()

    monkeypatch.setattr("time.sleep", meanwhile)


def test_watching_in_a_pipe_repeats_the_table_when_something_happened(run: Run, passing_time: None) -> None:
    first, second = run("stats", "--watch").stdout.split("\n\n")
    assert "3000 ms" not in first
    assert "3000 ms" in second
    assert first.count("count_words") == second.count("count_words") == 1


def test_watching_on_a_terminal_draws_in_place_until_interrupted(
    run: Run, passing_time: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ambidex.cli.stats.on_terminal", lambda _: True)
    monkeypatch.setenv("COLUMNS", "140")
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = run("stats", "--watch").stdout
    frames = shown.split("of budget")[1:]
    assert ["▶" in frame for frame in frames] == [False, False, True, True], "at first, after each look, and at the end"
    assert "\x1b[1A" in shown, "over what was drawn before"


def test_a_terminal_gets_bars(run: Run, called: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ambidex.cli.stats.on_terminal", lambda _: True)
    monkeypatch.setenv("COLUMNS", "140")
    shown = run("stats").stdout
    assert "of budget" in shown
    assert "·" in shown

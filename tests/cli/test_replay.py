"""`ambidex audit replay`: what another artifact would have decided about a recorded session."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
STORE = ("--store", "sqlite:store.db")


@pytest.fixture
def session(built: Path, run: Run) -> str:
    """A session of one call that asked for the opening hours; its artifact is kept as old.json."""
    shutil.copy(built / "tool_registry.json", built / "old.json")
    run("call", "opening-hours", '{"day": "monday"}', "--mode", "voice", *STORE)
    return newest(run)


def newest(run: Run) -> str:
    lines = run("audit", "tail", "-n", "1", "--json", *STORE).stdout.splitlines()
    found = json.loads(lines[-1])["session"]
    assert isinstance(found, str)
    return found


def without_voice(project: Path, run: Run) -> str:
    """The project's tools, of which the opening hours are for text alone now."""
    path = project / "tools" / "opening-hours" / "schema.json"
    schema = json.loads(path.read_text())
    path.write_text(json.dumps({**schema, "allowedModes": ["text"]}, indent=2))
    run("build")
    return "tool_registry.json"


def test_the_same_artifact_shows_no_difference(session: str, run: Run) -> None:
    result = run("audit", "replay", session, "--against", "old.json", *STORE)
    assert result.stdout == ""
    assert "1 call decided again: no difference" in result.stderr


def test_a_removed_mode_is_told_with_the_rule_and_ends_with_one(session: str, built: Path, run: Run) -> None:
    result = run("audit", "replay", session, "--against", without_voice(built, run), *STORE, code=1)
    [line] = result.stdout.splitlines()
    assert line.startswith("turn 1  opening_hours  -  ran → refuse by mode_is_allowed  MODE_RESTRICTED: ")
    assert "1 call decided again: 1 difference" in result.stderr


def test_with_json_it_is_one_document(session: str, built: Path, run: Run) -> None:
    against = without_voice(built, run)
    told = json.loads(run("audit", "replay", session, "--against", against, "--json", *STORE, code=1).stdout)
    assert (told["ok"], told["session"], told["calls"], told["notReplayable"]) == (False, session, 1, [])
    [difference] = told["differences"]
    assert (difference["was"], difference["would"], difference["wouldRule"]) == ("run", "refuse", "mode_is_allowed")


def test_the_limits_are_those_of_the_configuration(session: str, built: Path, run: Run) -> None:
    (built / "tight.toml").write_text("[limits.voice]\ntotal = 0\n")
    result = run("audit", "replay", session, "--against", "old.json", "--config", "tight.toml", *STORE, code=1)
    assert "ran → refuse by turn_is_within_budget" in result.stdout


def test_what_cannot_be_replayed_is_named(session: str, run: Run) -> None:
    run("call", "opening-hours", "{", "--mode", "voice", *STORE, code=1)
    result = run("audit", "replay", newest(run), "--against", "old.json", *STORE)
    assert "not replayable: turn 2 opening_hours -: its arguments were not kept" in result.stderr
    assert "0 calls decided again: no difference" in result.stderr


def test_the_beginning_of_an_id_is_enough_if_it_is_the_only_one(session: str, run: Run) -> None:
    run("audit", "replay", session[:8], "--against", "old.json", *STORE)
    run("call", "opening-hours", '{"day": "sunday"}', "--mode", "voice", *STORE)
    assert (
        "several sessions begin with ''" in run("audit", "replay", "", "--against", "old.json", *STORE, code=2).stderr
    )


def test_a_session_or_a_store_that_is_not_there_is_told(session: str, run: Run) -> None:
    told = run("audit", "replay", "nobody!", "--against", "old.json", *STORE, code=1).stderr
    assert "there is no session 'nobody!' in the store" in told
    told = run("audit", "replay", session, "--against", "old.json", "--store", "sqlite:none.db", code=1).stderr
    assert "nothing was recorded yet" in told
    assert not Path("none.db").exists()


@pytest.mark.parametrize("name", ["-Bh", "--h", "-h"])
def test_an_id_that_begins_with_a_dash_is_no_option(session: str, run: Run, name: str) -> None:
    told = run("audit", "replay", name, "--against", "old.json", *STORE, code=1).stderr
    assert f"there is no session {name!r} in the store" in told


def test_the_store_is_left_as_it_was(session: str, run: Run) -> None:
    before = run("audit", "tail", "-n", "100", "--json", *STORE).stdout
    run("audit", "replay", session, "--against", "old.json", *STORE)
    assert run("audit", "tail", "-n", "100", "--json", *STORE).stdout == before

"""`ambidex audit`: reading the record, and verifying it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from tests.audit.making import exporter, full_event, record

from ambidex.audit.chain import append
from ambidex.audit.events import Event, EventKind
from ambidex.audit.line import decode
from ambidex.cli import audit
from ambidex.contracts.faults import ErrorType
from ambidex.stores.base import Store
from ambidex.stores.open import open_store

Run = Callable[..., Result]

REFUSED = Event(
    event=EventKind.CALL_REFUSED,
    session="s2",
    tool="send_note",
    ok=False,
    error_type=ErrorType.BUDGET_EXCEEDED,
    rule="budget",
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The default one of the current folder, with five calls and a refusal in it."""
    monkeypatch.chdir(tmp_path)
    opened = open_store("sqlite:ambidex.db")
    record(opened, 5)
    opened.run(lambda tx: append(tx, [REFUSED]))
    return opened


@pytest.fixture
def files(store: Store, tmp_path: Path) -> Path:
    exporter(store, tmp_path / "audit", rotate_bytes=1 << 20).drain(last=True)
    return tmp_path / "audit"


def test_the_newest_lines_come_from_the_store(run: Run, store: Store) -> None:
    shown = run("audit", "tail", "-n", "2").stdout.splitlines()
    assert len(shown) == 2
    assert "kb_search" in shown[0]
    assert "ok 2 ms" in shown[0]
    assert "BUDGET_EXCEEDED by budget" in shown[1]
    assert "\x1b" not in "".join(shown), "no colours in a pipe"


def test_json_is_the_lines_as_recorded(run: Run, store: Store) -> None:
    lines = run("audit", "tail", "--json").stdout.splitlines()
    assert [json.loads(line)["seq"] for line in lines] == [1, 2, 3, 4, 5, 6]


def test_it_can_be_narrowed(run: Run, store: Store) -> None:
    for option in (("--session", "s2"), ("--tool", "send_note")):
        [line] = run("audit", "tail", "--json", *option).stdout.splitlines()
        assert decode(line.encode()).rule == "budget"
    assert run("audit", "tail", "--tool", "absent").stdout == ""


def test_files_are_read_where_they_are_named_or_where_there_is_no_store(run: Run, store: Store, files: Path) -> None:
    named = run("audit", "tail", "--json", "--directory", str(files)).stdout
    assert len(named.splitlines()) == 6
    assert run("audit", "tail", "--json", "--store", "sqlite:absent.db").stdout == named
    assert not Path("absent.db").exists(), "looking must not make a store"


def test_with_nothing_recorded_it_says_so(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "nothing was recorded yet" in run("audit", "tail", code=1).stderr
    assert "nothing to verify" in run("audit", "verify", code=1).stderr
    assert not list(tmp_path.iterdir())


def test_following_shows_what_comes_until_interrupted(run: Run, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = [3, 2]

    def meanwhile(_: float) -> None:
        if not batches:
            raise KeyboardInterrupt
        record(store, batches.pop())

    monkeypatch.setattr("time.sleep", meanwhile)
    lines = run("audit", "tail", "-n", "1", "--follow", "--json").stdout.splitlines()
    assert [json.loads(line)["seq"] for line in lines] == [6, 7, 8, 9, 10, 11]


@pytest.mark.threat("L02")
@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "\x9b1m", "\u202e"])
def test_nothing_that_was_recorded_can_move_the_cursor(run: Run, store: Store, text: str) -> None:
    store.run(lambda tx: append(tx, [full_event(text)]))
    [line] = run("audit", "tail", "-n", "1").stdout.splitlines()
    assert line.isprintable()


def test_a_terminal_shows_how_it_went_in_colour(store: Store) -> None:
    from ambidex.audit.log import StoreLog

    lines = [decode(line) for line in StoreLog(store).read()]
    assert "\x1b[32m" in "".join(audit.coloured(lines[0]))
    assert "\x1b[31m" in "".join(audit.coloured(lines[-1]))


@pytest.mark.threat("L03")
def test_a_whole_audit_is_said_to_be_whole(run: Run, store: Store, files: Path) -> None:
    record(store, 2, start=7)
    assert run("audit", "verify").stdout == "the audit is whole: 8 lines, the last is 8\n"
    assert run("audit", "verify", str(files)).stdout == "the audit is whole: 6 lines, the last is 6\n"
    one = str(files / "audit-000001.jsonl")
    assert json.loads(run("audit", "verify", one, "--json").stdout) == {
        "ok": True,
        "lines": 6,
        "end": 6,
        "firstBad": None,
        "reason": None,
    }


@pytest.mark.threat("L03")
def test_the_store_alone_can_be_verified(run: Run, store: Store) -> None:
    assert "6 lines" in run("audit", "verify").stdout


@pytest.mark.threat("L03")
def test_the_first_bad_line_is_named(run: Run, store: Store, files: Path) -> None:
    path = files / "audit-000001.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"c3"', b'"c8"'))
    result = run("audit", "verify", code=1)
    assert result.stdout.startswith("audit/audit-000001.jsonl:3: altered")
    assert "lines before it are good" in result.stderr
    bad = json.loads(run("audit", "verify", "--json", code=1).stdout)
    assert bad["ok"] is False
    assert bad["firstBad"] == {"file": str(path), "line": 3, "seq": 3}


@pytest.mark.threat("L03")
def test_a_cut_tail_shows_by_anchors_or_store(run: Run, store: Store, files: Path, tmp_path: Path) -> None:
    path = files / "audit-000001.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]))
    assert "cut off" in run("audit", "verify", str(files), code=1).stdout
    (files / "anchors.jsonl").rename(tmp_path / "kept")
    unanchored = run("audit", "verify", str(files))
    assert "whole" in unanchored.stdout, "nothing is left that could tell"
    assert "there are no anchors" in unanchored.stderr
    assert "does not exist" in run("audit", "verify", "--anchors", "absent", code=2).stderr
    assert "cut off" in run("audit", "verify", str(files), "--anchors", "kept", code=1).stdout
    assert "had been exported" in run("audit", "verify", str(files), "--store", store.url, code=1).stdout

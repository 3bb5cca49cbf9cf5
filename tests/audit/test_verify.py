"""Verification finds each way of tampering, and names the place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from tests.audit.making import exporter, record

from ambidex.audit.anchors import NAME
from ambidex.audit.chain import HEADS, LINES, ONLY, position
from ambidex.audit.files import log_files
from ambidex.audit.verify import Verdict, verify
from ambidex.stores.base import Store, Tx
from ambidex.stores.open import open_store

T = TypeVar("T")

pytestmark = pytest.mark.threat("L03")


@pytest.fixture
def log(store: Store, tmp_path: Path) -> Path:
    """Ten lines in one file, anchored at the end."""
    record(store, 10)
    exporter(store, tmp_path / "audit", rotate_bytes=1 << 20).drain(last=True)
    return tmp_path / "audit"


@pytest.fixture
def rotated(store: Store, tmp_path: Path) -> Path:
    """Thirty lines in many files."""
    record(store, 30)
    exporter(store, tmp_path / "audit", rotate_bytes=1000).drain(last=True)
    return tmp_path / "audit"


def verdict(log: Path, **options: Store) -> Verdict:
    return verify(log, anchor_file=log / NAME, **options)


def rewrite(log: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    path = log / "audit-000001.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in change(path.read_bytes().splitlines())))


def found(log: Path) -> tuple[int, int, str]:
    """Line and position of the first bad one, and why."""
    bad = verdict(log)
    assert not bad.ok
    assert bad.first_bad is not None
    assert bad.first_bad.file == str(log / "audit-000001.jsonl")
    return bad.first_bad.line, bad.first_bad.seq, bad.reason


def test_an_untouched_log_is_whole(log: Path, store: Store) -> None:
    for verified in (verdict(log), verdict(log, store=store), verify(log), verify(store=store)):
        assert verified == Verdict(True, 10, 10)


def test_an_empty_log_is_whole(tmp_path: Path, store: Store) -> None:
    assert verify([], store=store) == Verdict(True, 0, 0)
    assert verify(tmp_path) == Verdict(True, 0, 0)


def test_every_single_bit_counts(log: Path) -> None:
    path = log / "audit-000001.jsonl"
    whole = path.read_bytes()
    line = 1
    for place, byte in enumerate(whole):
        path.write_bytes(whole[:place] + bytes([byte ^ 1]) + whole[place + 1 :])
        number, seq, _ = found(log)
        assert (number, seq) == (line, line), f"byte {place}, {whole[max(0, place - 9) : place + 9]!r}"
        line += byte == ord("\n")


def test_a_missing_line_is_named(log: Path) -> None:
    rewrite(log, lambda lines: lines[:4] + lines[5:])
    assert found(log) == (5, 5, "line 6 stands where 5 should be: missing, or moved")


def test_several_missing_lines_are_named(log: Path) -> None:
    rewrite(log, lambda lines: lines[:4] + lines[7:])
    assert found(log) == (5, 5, "line 8 stands where 5 to 7 should be: missing, or moved")


def test_two_swapped_lines_are_named(log: Path) -> None:
    rewrite(log, lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]])
    assert found(log)[:2] == (3, 3)


def test_a_repeated_line_is_named(log: Path) -> None:
    rewrite(log, lambda lines: [*lines[:3], lines[2], *lines[3:]])
    assert found(log) == (4, 4, "line 3 stands where 4 should be: repeated, or moved")


def test_an_inserted_line_is_named(log: Path) -> None:
    rewrite(log, lambda lines: [*lines[:3], b'{"hello":1}', *lines[3:]])
    assert found(log) == (4, 4, "this is no line of a log: it was altered")


def test_a_chain_that_lost_its_name_is_named(log: Path) -> None:
    rewrite(log, lambda lines: [lines[0].replace(b'"stream"', b'"streem"')])
    bad = verify(log)
    assert not bad.ok
    assert "only the first line of a chain names the chain" in bad.reason


@pytest.mark.parametrize("left", range(10))
def test_a_tail_that_was_cut_off_shows_by_the_anchor(log: Path, left: int) -> None:
    rewrite(log, lambda lines: lines[:left])
    bad = verdict(log)
    assert not bad.ok
    assert bad.first_bad is not None
    assert bad.first_bad.seq == left + 1
    assert "the end was cut off" in bad.reason


def test_wherever_the_file_is_cut_it_shows(log: Path) -> None:
    path = log / "audit-000001.jsonl"
    whole = path.read_bytes()
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        assert not verdict(log).ok


def test_a_tail_cut_together_with_its_anchors_shows_by_the_store(log: Path, store: Store) -> None:
    rewrite(log, lambda lines: lines[:6])
    (log / NAME).unlink()
    assert verify(log).ok, "nothing in the files can tell"
    bad = verify(log, store=store)
    assert not bad.ok
    assert "10 had been exported" in bad.reason


def test_lines_that_are_still_in_the_store_continue_the_files(log: Path, store: Store) -> None:
    record(store, 5, start=11)
    assert verdict(log, store=store) == Verdict(True, 15, 15)


def test_a_removed_file_is_named(rotated: Path) -> None:
    victim = log_files(rotated)[3]
    successor = log_files(rotated)[4]
    victim.unlink()
    bad = verdict(rotated)
    assert bad.first_bad is not None
    assert (bad.first_bad.file, bad.first_bad.line) == (str(successor), 1)
    assert "missing" in bad.reason


def test_removed_first_files_show_unless_they_were_retired(rotated: Path) -> None:
    log_files(rotated)[0].unlink()
    bad = verdict(rotated)
    assert not bad.ok
    assert "no anchor says where the lines before it went" in bad.reason


def test_removed_last_files_show(rotated: Path) -> None:
    log_files(rotated)[-1].unlink()
    assert "the end was cut off" in verdict(rotated).reason


def test_half_a_line_at_the_end_of_an_older_file_is_named(rotated: Path) -> None:
    path = log_files(rotated)[1]
    path.write_bytes(path.read_bytes()[:-5])
    bad = verdict(rotated)
    assert bad.first_bad is not None
    assert bad.first_bad.file == str(path)


def test_half_a_line_at_the_very_end_is_a_writer_at_work(log: Path, store: Store) -> None:
    with (log / "audit-000001.jsonl").open("ab") as file:
        file.write(b'{"seq":11,')
    assert verdict(log, store=store).ok


def test_a_file_without_newlines_does_not_fill_the_memory(log: Path) -> None:
    (log / "audit-000001.jsonl").write_bytes(b"x" * (9 << 20))
    assert found(log)[:2] == (1, 1)


@pytest.mark.parametrize("member", ["seq", "hash", "at", "stream"])
def test_an_altered_anchor_is_named(log: Path, member: str) -> None:
    text = (log / NAME).read_text()
    place = text.index(f'"{member}":') + len(member) + 4
    (log / NAME).write_text(text[:place] + ("1" if text[place] != "1" else "2") + text[place + 1 :])
    bad = verdict(log)
    assert not bad.ok
    assert NAME in bad.reason


def test_an_anchor_that_is_none_is_named(log: Path) -> None:
    with (log / NAME).open("ab") as file:
        file.write(b"{}\n")
    bad = verdict(log)
    assert bad.first_bad is not None
    assert (bad.first_bad.file, bad.first_bad.line) == (str(log / NAME), 2)


def test_half_an_anchor_at_the_end_is_a_writer_at_work(log: Path) -> None:
    with (log / NAME).open("ab") as file:
        file.write(b'{"seq":')
    assert verdict(log).ok


def rewritten(log: Path, tmp_path: Path) -> None:
    """The whole log made anew by somebody who knows how: a chain that is right in itself, about other events."""
    forger = open_store(f"sqlite:{tmp_path / 'forger.db'}")
    record(forger, 10, start=90)
    exporter(forger, tmp_path / "forged", rotate_bytes=1 << 20).drain()
    forger.close()
    (tmp_path / "forged" / "audit-000001.jsonl").replace(log / "audit-000001.jsonl")


def test_a_log_rewritten_from_end_to_end_shows_by_its_anchors(log: Path, tmp_path: Path) -> None:
    rewritten(log, tmp_path)
    assert verify(log).ok, "nothing in the files can tell"
    assert "says otherwise" in verdict(log).reason


def test_a_foreign_log_shows_by_the_store(log: Path, store: Store, tmp_path: Path) -> None:
    rewritten(log, tmp_path)
    assert "another store" in verify(log, store=store).reason


def test_an_older_copy_of_the_store_shows(log: Path, store: Store) -> None:
    end = store.run(lambda tx: tx.get(HEADS, ONLY))
    assert end is not None
    store.run(lambda tx: tx.put(HEADS, ONLY, type(end)(4, end.hash, end.stream)))
    assert "an older copy" in verify(log, store=store).reason


def test_the_last_line_altered_in_the_store_shows_by_its_head(store: Store) -> None:
    record(store, 3)
    store.run(lambda tx: tx.put(LINES, position(3), (tx.get(LINES, position(3)) or b"").replace(b'"c3"', b'"c9"')))
    bad = verify(store=store)
    assert bad.first_bad is not None
    assert (bad.first_bad.file, bad.first_bad.line, bad.first_bad.seq) == ("store", 3, 3)
    assert "the last line was altered" in bad.reason


@pytest.mark.parametrize("seq", [1, 2, 3])
def test_a_line_deleted_from_the_store_shows(store: Store, seq: int) -> None:
    record(store, 3)
    store.run(lambda tx: tx.delete(LINES, position(seq)))
    bad = verify(store=store)
    assert bad.first_bad is not None
    assert bad.first_bad.seq == min(seq, 3)


def test_a_log_for_which_the_store_knows_nothing_is_of_another_store(log: Path, memory: Store) -> None:
    assert "the store knows of none" in verify(log, store=memory).reason


class Busy:
    """A store on which others record and export whenever it is asked something."""

    def __init__(self, store: Store, log: Path) -> None:
        self.url, self.durable, self.clock = store.url, store.durable, store.clock
        self._store, self._log = store, log

    def run(self, operation: Callable[[Tx], T], *, lasting: bool = True) -> T:
        record(self._store, 3, start=50)
        exporter(self._store, self._log, rotate_bytes=1000).drain()
        return self._store.run(operation, lasting=lasting)

    def close(self) -> None:
        self._store.close()


def test_what_is_recorded_and_exported_while_verifying_is_no_fault(log: Path, store: Store) -> None:
    verified = verdict(log, store=Busy(store, log))
    assert verified.ok, verified
    assert verified.end > 10

"""Anchors: what is noted of the end of a log, and how it is read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.audit.anchors import Anchor, anchor_of, elsewhere, newest, read, write


def anchor(seq: int, *, elsewhere: bool = False) -> Anchor:
    return Anchor(seq=seq, hash="a" * 64, at="2026-03-02T09:00:00.000Z", stream="s", elsewhere=elsewhere)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "another disk" / "anchors.jsonl"


def test_anchors_read_back_as_they_were_written(path: Path) -> None:
    write(path, [anchor(1)])
    write(path, [anchor(2), anchor(3, elsewhere=True)])
    assert list(read(path)) == [(1, anchor(1)), (2, anchor(2)), (3, anchor(3, elsewhere=True))]


def test_an_anchor_follows_from_its_line() -> None:
    line = b'{"seq":7,"prev":"00","at":"2026-03-02T09:00:00.000Z","event":"turn_start"}'
    made = anchor_of(line, "s")
    assert (made.seq, made.at, made.stream) == (7, "2026-03-02T09:00:00.000Z", "s")
    assert anchor_of(line + b" ", "s").hash != made.hash


def test_what_is_added_after_reading_began_is_not_read(path: Path) -> None:
    write(path, [anchor(1)])
    reading = read(path)
    write(path, [anchor(2)])
    assert list(reading) == [(1, anchor(1))]


def test_the_newest_is_known_after_a_crash_in_the_middle_of_one(path: Path) -> None:
    assert newest(path) == 0
    write(path, [anchor(1), anchor(5)])
    with path.open("ab") as file:
        file.write(b'{"seq":9')
    assert newest(path) == 5
    write(path, [anchor(6)])
    assert [made for _, made in read(path)] == [anchor(1), anchor(5), anchor(6)]


def test_an_altered_file_does_not_stop_anchoring(path: Path) -> None:
    write(path, [anchor(1)])
    with path.open("ab") as file:
        file.write(b"rubbish\n")
    assert newest(path) == 0
    assert list(read(path)) == [(1, anchor(1)), (2, None)]


def test_only_an_anchor_that_says_so_vouches_for_lines_that_are_not_here(path: Path) -> None:
    assert elsewhere(path, 4) is None
    write(path, [anchor(4), anchor(8, elsewhere=True)])
    assert elsewhere(path, 4) is None
    assert elsewhere(path, 8) == anchor(8, elsewhere=True)

"""The export: every line once and in order, whatever happens to disk and process."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.audit.making import event, exporter, lines_of, record

from ambidex.audit import export
from ambidex.audit.anchors import NAME
from ambidex.audit.chain import LINES, WAITING_LIMIT, position, recorder
from ambidex.audit.errors import AuditMismatch
from ambidex.audit.events import EventKind
from ambidex.audit.export import AuditExporter
from ambidex.audit.files import locked, log_files
from ambidex.audit.line import decode
from ambidex.audit.verify import verify
from ambidex.stores.base import Store
from ambidex.stores.clock import Moment
from ambidex.stores.open import open_store

LATER = Moment(10**14, 0, "")
"""Later than any line of these tests."""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "audit"


def assert_whole(log: Path, store: Store) -> None:
    verdict = verify(log, anchor_file=log / NAME, store=store)
    assert verdict.ok, verdict
    assert [decode(line).seq for line in lines_of(log)] == list(range(1, verdict.end + 1))


def test_files_hold_the_very_bytes_of_the_store(any_store: Store, log: Path) -> None:
    record(any_store, 7)
    assert exporter(any_store, log).drain() == 7
    assert lines_of(log) == [line for _, line in any_store.run(lambda tx: tx.scan(LINES))]
    assert_whole(log, any_store)


def test_a_file_that_is_full_is_followed_by_the_next_and_the_chain_goes_on(store: Store, log: Path) -> None:
    record(store, 30)
    exporter(store, log, rotate_bytes=1000).drain()
    paths = log_files(log)
    assert len(paths) > 5
    assert all(0 < path.stat().st_size <= 1000 for path in paths)
    assert_whole(log, store)


def test_a_line_larger_than_a_file_may_be_gets_a_file_of_its_own(store: Store, log: Path) -> None:
    record(store, 3)
    exporter(store, log, rotate_bytes=1).drain()
    assert [len(path.read_bytes().splitlines()) for path in log_files(log)] == [1, 1, 1]


def test_steps_are_bounded_and_nothing_is_lost_between_them(
    store: Store, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "BATCH", 4)
    record(store, 30)
    assert exporter(store, log).drain() == 30
    assert_whole(log, store)


def test_another_exporter_goes_on_where_the_last_one_stopped(store: Store, log: Path) -> None:
    for start in (1, 11, 21):
        record(store, 10, start=start)
        assert exporter(store, log).drain() == 10
    assert exporter(store, log).drain() == 0
    assert_whole(log, store)


def test_the_end_is_anchored_at_rotation_every_so_often_and_at_the_last_round(store: Store, log: Path) -> None:
    def anchored() -> list[int]:
        text = (log / NAME).read_text() if (log / NAME).exists() else ""
        return [int(line.split(",")[0].removeprefix('{"seq":')) for line in text.splitlines()]

    big = AuditExporter(store, log, anchor_every=4)
    for start in (1, 3, 5):
        record(store, 2, start=start)
        big.drain()
    assert anchored() == [4]
    big.drain(last=True)
    big.drain(last=True)
    assert anchored() == [4, 6]
    record(store, 2, start=7)
    AuditExporter(store, log, rotate_bytes=1).drain()
    assert anchored() == [4, 6, 6, 7]
    assert_whole(log, store)


def test_anchors_can_be_kept_elsewhere(store: Store, log: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "other disk" / "anchors"
    record(store, 5)
    AuditExporter(store, log, anchor_file=elsewhere).drain(last=True)
    assert not (log / NAME).exists()
    assert verify(log, anchor_file=elsewhere).ok


def test_the_lag_is_what_is_in_no_file_yet(any_store: Store, log: Path) -> None:
    out = exporter(any_store, log)
    assert out.lag() == 0
    any_store.run(lambda tx: recorder(any_store)(tx, [event(1), event(2)]))
    assert out.lag() == 2
    out.drain()
    assert out.lag() == 0


def test_only_one_of_several_workers_writes_and_the_others_go_on(store: Store, log: Path) -> None:
    record(store, 3)
    log.mkdir()
    with locked(log):
        assert exporter(store, log).drain() == 0
        assert lines_of(log) == []
    assert exporter(store, log).drain() == 3


def test_workers_at_once_neither_mix_nor_repeat_lines(store: Store, log: Path) -> None:
    def work(n: int) -> int:
        out = exporter(store, log)
        exported = 0
        for start in range(n, n + 25, 5):
            record(store, 5, start=start)
            exported += out.drain()
        assert out.healthy
        return exported

    with ThreadPoolExecutor(4) as pool:
        exported = sum(pool.map(work, [100, 200, 300, 400]))
    exported += exporter(store, log).drain(last=True)
    assert exported == len(lines_of(log)) == 100
    assert_whole(log, store)


# A disk that fails


@pytest.mark.threat("L04")
def test_a_directory_that_cannot_be_written_is_told_and_tried_again(any_store: Store, log: Path) -> None:
    log.write_text("a file where the directory should be")
    out = exporter(any_store, log)
    record(any_store, 3)
    assert out.drain() == 0
    assert not out.healthy
    assert isinstance(out.error, OSError)
    record(any_store, 2, start=4)
    assert out.lag() == 5
    log.unlink()
    assert out.drain() == 5
    assert out.healthy
    assert_whole(log, any_store)


@pytest.fixture
def no_directory(log: Path) -> Path:
    """A file stands where the directory should be."""
    log.write_text("")
    return log


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file can grow beyond this size: writes stop in the middle, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.threat("L04")
def test_a_full_disk_stops_no_call_and_half_a_line_is_mended_when_there_is_room(memory: Store, log: Path) -> None:
    out = AuditExporter(memory, log, anchor_every=4)
    record(memory, 3)
    out.drain()
    with full_disk(1500):
        record(memory, 10, start=4)
        out.drain()
        assert not out.healthy
        assert (log / "audit-000001.jsonl").read_bytes()[-1:] != b"\n", "the disk was full in the middle of a line"
        record(memory, 10, start=14)
        assert out.lag() == 20
    out.drain()
    assert out.healthy
    assert out.lag() == 0
    assert_whole(log, memory)


@pytest.mark.threat("L04")
def test_a_memory_store_behind_a_full_disk_stays_bounded(memory: Store, log: Path) -> None:
    out = exporter(memory, log, rotate_bytes=1 << 20)
    with full_disk(1500):
        for n in range(5 * WAITING_LIMIT):
            memory.run(lambda tx, n=n: recorder(memory)(tx, [event(n)]))  # type: ignore[misc]
            if n % 2000 == 0:
                out.drain()
        assert not out.healthy
        assert len(memory.run(lambda tx: tx.scan(LINES))) <= 2 * WAITING_LIMIT
    while out.lag():
        out.drain()
    assert EventKind.EVENTS_LOST in {decode(line).event for line in lines_of(log)}
    assert_whole(log, memory)


# A process that dies


def killed_at_line(count: int, work: Callable[[], None]) -> bool:
    """Run it in a process that kills itself at the so-manieth line of the audit's code; whether it came to that."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    left = [count]

    def step(frame: FrameType, kind: str, _: Any) -> Any:
        if "ambidex/audit/" not in frame.f_code.co_filename:
            return None
        if kind == "line":
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return step

    sys.settrace(step)
    work()
    os._exit(0)


@pytest.mark.threat("K08", "L03")
@pytest.mark.parametrize("keep", [None, 3])
def test_an_exporter_killed_anywhere_leaves_nothing_missing_and_nothing_twice(
    store: Store, log: Path, keep: int | None
) -> None:
    chance = random.Random(7)
    url = store.url

    def work() -> None:
        exporter(open_store(url), log, rotate_bytes=800, keep=keep).drain(last=True)

    kills = 0
    for n in range(20):
        record(store, 6, start=n * 10)
        kills += killed_at_line(chance.randrange(1, 400), work)
        assert verify(log if log.exists() else [], anchor_file=log / NAME, store=store).ok
    assert kills >= 10
    last = exporter(store, log, keep=keep)
    last.drain(last=True)
    assert last.healthy, last.error
    seqs = [decode(line).seq for line in lines_of(log)]
    assert seqs == list(range(1 if keep is None else seqs[0], 121))
    assert verify(log, anchor_file=log / NAME, store=store).ok


def test_a_line_that_was_half_written_is_written_anew(store: Store, log: Path) -> None:
    record(store, 3)
    exporter(store, log).drain()
    with (log / "audit-000001.jsonl").open("ab") as file:
        file.write(b'{"seq":4,"prev":"')
    record(store, 1, start=4)
    assert exporter(store, log).drain() == 1
    assert_whole(log, store)


def test_a_crash_before_the_store_heard_of_it_repeats_nothing(store: Store, log: Path) -> None:
    record(store, 3)
    exporter(store, log).drain()
    store.run(lambda tx: tx.put(export.EXPORTS, "only", export.Progress(0, 3)))
    assert exporter(store, log).drain() == 0
    assert len(lines_of(log)) == 3


# What does not belong together


def refusal(out: AuditExporter) -> str:
    assert out.drain() == 0
    assert isinstance(out.error, AuditMismatch)
    return str(out.error)


def test_lines_that_were_removed_are_not_papered_over(store: Store, log: Path) -> None:
    record(store, 5)
    exporter(store, log).drain()
    path = log / "audit-000001.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    record(store, 1, start=6)
    before = lines_of(log)
    assert "ends at line 3, but 5 had been written" in refusal(exporter(store, log))
    assert lines_of(log) == before


def test_a_directory_of_another_store_is_left_alone(store: Store, memory: Store, log: Path) -> None:
    record(memory, 5)
    exporter(memory, log).drain()
    record(store, 3)
    assert "another store" in refusal(exporter(store, log))
    record(store, 10, start=4)
    assert "does not continue" in refusal(exporter(store, log))
    assert len(lines_of(log)) == 5


def test_a_last_line_that_is_none_is_told(store: Store, log: Path) -> None:
    record(store, 2)
    exporter(store, log).drain()
    with (log / "audit-000001.jsonl").open("ab") as file:
        file.write(b"rubbish\n")
    assert "no line of a log" in refusal(exporter(store, log))


def test_a_store_that_lost_lines_is_told(store: Store, log: Path) -> None:
    record(store, 3)
    for seq in (1, 2, 3):
        store.run(lambda tx, seq=seq: tx.delete(LINES, position(seq)))  # type: ignore[misc]
    assert "lost its lines from 1 on" in refusal(exporter(store, log))


def test_when_the_directory_was_moved_away_a_new_one_begins_and_both_verify(store: Store, log: Path) -> None:
    record(store, 9)
    exporter(store, log).drain(last=True)
    log.rename(log.with_name("archive"))
    record(store, 3, start=10)
    assert exporter(store, log).drain(last=True) == 3
    assert verify(log.with_name("archive"), anchor_file=log.with_name("archive") / NAME).lines == 9
    verdict = verify(log, anchor_file=log / NAME, store=store)
    assert (verdict.ok, verdict.lines, verdict.end) == (True, 3, 12)


# Retention


def test_old_files_are_retired_and_the_rest_still_verifies(store: Store, log: Path) -> None:
    record(store, 40)
    exporter(store, log, rotate_bytes=1000, keep=3).drain()
    assert len(log_files(log)) == 3
    assert "audit-000001.jsonl" not in {path.name for path in log_files(log)}
    assert verify(log, anchor_file=log / NAME, store=store).ok
    record(store, 40, start=41)
    exporter(store, log, rotate_bytes=1000, keep=3).drain(last=True)
    assert verify(log, anchor_file=log / NAME, store=store).ok


def test_lines_leave_the_store_only_after_they_are_in_a_file(store: Store, log: Path) -> None:
    out = exporter(store, log)
    record(store, 6)
    assert out.prune(LATER) == 0
    out.drain()
    record(store, 2, start=7)
    assert out.prune(LATER) == 6
    assert [key for key, _ in store.run(lambda tx: tx.scan(LINES))] == ["0000000000000007", "0000000000000008"]
    out.drain()
    assert_whole(log, store)
    assert verify(store=store).ok, "what is left in the store follows on what was pruned"


def test_lines_that_are_not_old_enough_stay(store: Store, log: Path) -> None:
    out = exporter(store, log)
    record(store, 3)
    out.drain()
    assert out.prune(Moment(0, 0, "")) == 0


# Beside the calls


async def test_a_started_exporter_exports_and_closing_it_exports_the_rest(any_store: Store, log: Path) -> None:
    out = exporter(any_store, log)
    out.start()
    for n in range(20):
        any_store.run(lambda tx, n=n: recorder(any_store)(tx, [event(n)]), lasting=False)  # type: ignore[misc]
        await asyncio.sleep(0)
    await out.close()
    assert len(lines_of(log)) == 20
    assert (log / NAME).exists()
    assert_whole(log, any_store)


async def test_closing_over_a_broken_disk_does_not_raise(memory: Store, no_directory: Path) -> None:
    out = exporter(memory, no_directory)
    out.start()
    record(memory, 1)
    await out.close()
    assert not out.healthy

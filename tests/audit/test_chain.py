"""The chain: each line names the one before, whoever writes it."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest
from tests.audit.making import event, record

from ambidex.audit.chain import (
    GENESIS,
    LINES,
    NEWER,
    WAITING,
    WAITING_LIMIT,
    LateEvents,
    Record,
    append,
    defer,
    defer_late,
    head,
    position,
    recorder,
    settle,
)
from ambidex.audit.events import Event, EventKind
from ambidex.audit.line import Line, decode
from ambidex.audit.verify import verify
from ambidex.stores.base import Store, Tx
from ambidex.stores.clock import Moment, rfc3339
from ambidex.stores.memory import MemoryStore


def lines(store: Store) -> list[bytes]:
    return [line for _, line in store.run(lambda tx: tx.scan(LINES))]


def decoded(store: Store) -> list[Line]:
    return [decode(line) for line in lines(store)]


def recorded_at(tx: Tx, record: Record, *events: Event) -> Moment:
    record(tx, events)
    return tx.now


def test_each_line_holds_the_hash_of_the_bytes_before_it(any_store: Store) -> None:
    record(any_store, 3)
    any_store.run(lambda tx: append(tx, [event(4), event(5)]))
    found = lines(any_store)
    assert [decode(line).seq for line in found] == [1, 2, 3, 4, 5]
    assert decode(found[0]).prev == GENESIS
    assert all(decode(after).prev == sha256(before).hexdigest() for before, after in pairwise(found))


def test_the_head_is_the_last_line(any_store: Store) -> None:
    assert any_store.run(head) is None
    record(any_store, 2)
    end = any_store.run(head)
    assert end is not None
    assert (end.seq, end.hash) == (2, sha256(lines(any_store)[-1]).hexdigest())


def test_only_the_first_line_names_the_stream_and_no_two_streams_share_a_name(memory: Store, store: Store) -> None:
    for each in (memory, store):
        record(each, 3)
        assert [bool(line.stream) for line in decoded(each)] == [True, False, False]
    assert decoded(memory)[0].stream != decoded(store)[0].stream


def test_lines_carry_the_clock_of_the_store(any_store: Store) -> None:
    now = any_store.run(lambda tx: recorded_at(tx, append, event()))
    assert decoded(any_store)[0].at == rfc3339(now)


def test_nothing_to_record_writes_nothing(any_store: Store) -> None:
    any_store.run(lambda tx: recorder(any_store)(tx, []))
    any_store.run(settle)
    assert lines(any_store) == []
    assert any_store.run(head) is None


@pytest.mark.threat("K08")
def test_an_event_lasts_exactly_if_its_transaction_does(any_store: Store) -> None:
    def fails(tx: Tx) -> None:
        recorder(any_store)(tx, [event(2)])
        raise RuntimeError

    any_store.run(lambda tx: recorder(any_store)(tx, [event(1)]))
    with pytest.raises(RuntimeError):
        any_store.run(fails)
    any_store.run(lambda tx: recorder(any_store)(tx, [event(3)]))
    any_store.run(settle)
    assert [line.call_id for line in decoded(any_store)] == ["c1", "c3"]
    assert verify(store=any_store).ok


def test_a_memory_store_defers_and_a_durable_one_does_not(memory: Store, store: Store) -> None:
    assert recorder(memory) is defer
    assert recorder(store) is append


def test_deferred_events_keep_their_order_and_their_time(memory: Store) -> None:
    times = [
        memory.run(lambda tx, n=n: recorded_at(tx, defer, event(n), event(n + 1)))  # type: ignore[misc]
        for n in (1, 3, 5)
    ]
    assert lines(memory) == []
    memory.run(settle)
    memory.run(settle)
    assert [line.call_id for line in decoded(memory)] == ["c1", "c2", "c3", "c4", "c5", "c6"]
    assert [line.at for line in decoded(memory)][::2] == [rfc3339(time) for time in times]
    assert verify(store=memory).ok


def test_a_memory_store_that_nobody_reads_stays_bounded_and_tells_what_it_lost(memory: Store) -> None:
    total = 2 * WAITING_LIMIT + 7
    for n in range(total):
        memory.run(lambda tx, n=n: defer(tx, [event(n)]))  # type: ignore[misc]
    memory.run(settle)
    first, *rest = decoded(memory)
    assert first.event is EventKind.EVENTS_LOST
    assert first.facts == {"events": WAITING_LIMIT}
    assert [line.call_id for line in rest] == [f"c{n}" for n in range(WAITING_LIMIT, total)]


class _Told(LateEvents):
    """Two events of a call, each with its own time."""

    def __init__(self, n: int, began: Moment, ended: Moment) -> None:
        self.n, self.began, self.ended = n, began, ended

    def dated(self) -> list[tuple[Moment, list[Event]]]:
        return [(self.began, [event(self.n)]), (self.ended, [event(self.n + 1)])]


def put_late(memory: MemoryStore, told: LateEvents, at: Moment) -> bool:
    with memory.lock:
        return defer_late(memory.shelf(WAITING), told, 2, at)


def test_events_that_are_made_late_stand_where_they_were_deferred_with_their_own_times(memory: MemoryStore) -> None:
    began, ended = Moment(1_000, 0, ""), Moment(2_000, 0, "")
    memory.run(lambda tx: defer(tx, [event(1)]))
    assert put_late(memory, _Told(2, began, ended), ended)
    memory.run(lambda tx: defer(tx, [event(4)], began))
    waiting = memory.shelf(WAITING)[NEWER]
    assert waiting.count == 4
    memory.run(settle)
    assert [line.call_id for line in decoded(memory)] == ["c1", "c2", "c3", "c4"]
    assert [line.at for line in decoded(memory)][1:] == [rfc3339(began), rfc3339(ended), rfc3339(began)]
    assert verify(store=memory).ok


def test_late_events_wait_only_behind_others_and_only_where_there_is_room(memory: MemoryStore) -> None:
    now = Moment(0, 0, "")
    assert not put_late(memory, _Told(1, now, now), now)
    memory.run(lambda tx: defer(tx, [event(n) for n in range(WAITING_LIMIT - 1)]))
    assert put_late(memory, _Told(1, now, now), now)
    assert not put_late(memory, _Told(3, now, now), now)
    memory.run(settle)
    assert len(lines(memory)) == WAITING_LIMIT + 1


def test_positions_sort_as_numbers_do() -> None:
    assert sorted(map(position, [10, 9, 1, 10**12])) == [position(n) for n in (1, 9, 10, 10**12)]


_WRITER = """
import sys
from ambidex.stores.open import open_store
from tests.audit.making import record
record(open_store(sys.argv[1]), 40, start=int(sys.argv[2]))
"""


@pytest.mark.threat("L03")
def test_several_processes_write_one_unbroken_chain(store: Store) -> None:
    root = Path(__file__).parents[2]
    starts = [1000, 2000, 3000, 4000]
    running = [subprocess.Popen([sys.executable, "-c", _WRITER, store.url, str(n)], cwd=root) for n in starts]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    verdict = verify(store=store)
    assert (verdict.ok, verdict.lines) == (True, 160)
    assert {line.call_id for line in decoded(store)} == {f"c{n + k}" for n in starts for k in range(40)}

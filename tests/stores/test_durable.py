"""What a store that outlives its process promises: to the next process, to others beside it, and after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.stores.backends import BACK_ENDS, DURABLE, NOTES, NUMBERS, Note, run_python, start_python

from ambidex.stores.base import Space, Store, Tx

WIDE = Space("wide", bytes)
ADD = """
import sys
from ambidex.stores import Space, open_store

NUMBERS = Space("numbers", int)

def add(tx):
    tx.put(NUMBERS, "sum", (tx.get(NUMBERS, "sum") or 0) + 1)
"""
COUNTER = f"""{ADD}
store = open_store(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(250):
    store.run(add)
"""
FORKING = f"""{ADD}
import os

store = open_store(sys.argv[1])
store.run(add)
child = os.fork()
for _ in range(50):
    store.run(add)
if child == 0:
    store.close()
    os._exit(0)
_, status = os.waitpid(child, 0)
store.run(add)
print(status, store.run(lambda tx: tx.get(NUMBERS, "sum")))
"""
ROUNDS = """
import sys
from ambidex.stores import Space, key, open_store

WIDE = Space("wide", bytes)
store = open_store(sys.argv[1])
size, halfway = int(sys.argv[2]), sys.argv[3] == "halfway"

def write(tx):
    for place in range(100):
        if halfway and place == 50 and number > 1:
            print("halfway", flush=True)
            sys.stdin.readline()
        tx.put(WIDE, key(place), str(number).encode().rjust(size))

number = 0
while True:
    number += 1
    store.run(write)
    print(number, flush=True)
"""


@pytest.fixture(params=DURABLE)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """Opens the same store, as a new process would."""
    return lambda: BACK_ENDS[request.param](tmp_path, None)


@pytest.mark.parametrize("lasting", [True, False])
def test_what_was_committed_is_there_for_whoever_opens_next(reopen: Callable[[], Store], lasting: bool) -> None:
    store, note = reopen(), Note("kept", 7, b"\x00", tags=("a", "b"))
    store.run(lambda tx: tx.put(NOTES, "a", note), lasting=lasting)
    store.close()
    again = reopen()
    assert again.durable
    assert again.run(lambda tx: tx.get(NOTES, "a")) == note
    again.close()


def test_two_that_opened_it_see_each_others_commits(reopen: Callable[[], Store]) -> None:
    one, other = reopen(), reopen()
    one.run(lambda tx: tx.put(NUMBERS, "a", 1))
    other.run(lambda tx: tx.put(NUMBERS, "a", (tx.get(NUMBERS, "a") or 0) + 1))
    assert one.run(lambda tx: tx.get(NUMBERS, "a")) == 2
    one.close()
    other.close()


def test_four_processes_that_add_to_one_number_lose_nothing(reopen: Callable[[], Store]) -> None:
    store = reopen()
    workers = [start_python(COUNTER, store.url) for _ in range(4)]
    assert finished_together(workers) == [0] * 4
    assert store.run(lambda tx: tx.get(NUMBERS, "sum")) == 1000
    store.close()


def test_four_processes_may_create_it_at_once(reopen: Callable[[], Store], tmp_path: Path) -> None:
    store = reopen()
    url = store.url
    store.close()
    for file in tmp_path.iterdir():
        file.unlink()
    workers = [start_python(COUNTER, url) for _ in range(4)]
    assert finished_together(workers) == [0] * 4
    store = reopen()
    assert store.run(lambda tx: tx.get(NUMBERS, "sum")) == 1000
    store.close()


def finished_together(workers: list[subprocess.Popen[str]]) -> list[int]:
    """Let all of them go once all are ready; the codes they ended with."""
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
    for worker in workers:
        worker.communicate()
    return [worker.returncode for worker in workers]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_and_its_parent_both_go_on(reopen: Callable[[], Store]) -> None:
    store = reopen()
    assert run_python(FORKING, store.url).split() == ["0", "102"]
    store.close()


def rounds_kept(store: Store) -> list[bytes]:
    return [value.strip() for _, value in store.run(lambda tx: tx.scan(WIDE))]


@pytest.mark.threat("K01")
@pytest.mark.parametrize("size", [10, 50_000])
def test_a_kill_halfway_through_an_operation_leaves_nothing_of_it(reopen: Callable[[], Store], size: int) -> None:
    """Small values are still in memory at the kill; large ones have been written to the file already."""
    for _ in range(5):
        last = killed_at(reopen, size, "halfway", lines=2)
        store = reopen()
        assert rounds_kept(store) == [last] * 100
        store.close()


@pytest.mark.threat("K01")
def test_a_kill_at_any_time_leaves_whole_operations_and_all_that_were_answered(reopen: Callable[[], Store]) -> None:
    for kill in range(10):
        last = killed_at(reopen, 200, "anywhere", lines=1 + kill)
        store = reopen()
        kept = rounds_kept(store)
        assert len(kept) == 100
        assert len(set(kept)) == 1
        assert int(kept[0]) >= int(last)
        store.close()


def killed_at(reopen: Callable[[], Store], size: int, where: str, *, lines: int) -> bytes:
    """Start a process that writes rounds, kill it after some lines, and give the last round it reported."""
    store = reopen()
    store.run(clear)
    store.close()
    worker = start_python(ROUNDS, store.url, str(size), where)
    assert worker.stdout is not None
    said = [worker.stdout.readline().strip() for _ in range(lines)]
    worker.send_signal(signal.SIGKILL)
    worker.communicate()
    assert worker.returncode == -signal.SIGKILL
    return [line for line in said if line.isdigit()][-1].encode()


def clear(tx: Tx) -> None:
    for key, _ in tx.scan(WIDE):
        tx.delete(WIDE, key)

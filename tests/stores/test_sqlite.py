"""What is particular to the store in a file: locks, a full disk, and files that vanish."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from tests.stores.backends import NOTES, NUMBERS, Note, run_python

from ambidex.stores.base import Space, Tx
from ambidex.stores.errors import StoreMismatch, StoreUnavailable
from ambidex.stores.sqlite import SqliteStore

FULL_DISK = """
import resource, sys
from ambidex.stores import Space, StoreUnavailable, open_store

BLOBS = Space("blobs", bytes)
store = open_store(sys.argv[1])
store.run(lambda tx: tx.put(BLOBS, "before", b"small"))

unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, unlimited[1]))

def fill(tx):
    for place in range(100):
        tx.put(BLOBS, str(place), bytes(100_000))

try:
    store.run(fill)
except StoreUnavailable as error:
    print(type(error).__name__)

resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
store.run(lambda tx: tx.put(BLOBS, "later", b"small"))
print(*[key for key, _ in store.run(lambda tx: tx.scan(BLOBS))])
"""
FORK = """
import os, sys
from ambidex.stores import open_store

store = open_store(sys.argv[1])
parents = store._link()
if (child := os.fork()) == 0:
    own = store._link()
    os._exit(0 if own is not parents and own is store._link() else 1)
print(os.waitpid(child, 0)[1], store._link() is parents)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(path, busy_seconds=0.05)
    yield store
    store.close()


@pytest.mark.threat("K06")
def test_a_store_that_stays_busy_is_unavailable_and_works_again_afterwards(store: SqliteStore) -> None:
    holding, give_back = threading.Event(), threading.Event()

    def hold(tx: Tx) -> None:
        holding.set()
        give_back.wait()

    holder = threading.Thread(target=lambda: store.run(hold))
    holder.start()
    holding.wait()
    with pytest.raises(StoreUnavailable, match="kept it busy for too long"):
        store.run(lambda tx: tx.put(NUMBERS, "a", 1))
    give_back.set()
    holder.join()
    assert store.run(lambda tx: tx.get(NUMBERS, "a")) is None
    store.run(lambda tx: tx.put(NUMBERS, "a", 2))


@pytest.mark.threat("K06")
def test_a_full_disk_is_unavailable_undoes_the_operation_and_can_be_emptied(path: Path) -> None:
    assert run_python(FULL_DISK, f"sqlite:{path}").splitlines() == ["StoreUnavailable", "before later"]


@pytest.mark.threat("K07")
@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_was_removed_or_replaced_is_not_used_any_further(
    store: SqliteStore, path: Path, replaced: bool
) -> None:
    store.run(lambda tx: tx.put(NUMBERS, "a", 1))
    path.rename(path.with_name("moved.db"))
    if replaced:
        SqliteStore(path).close()
    with pytest.raises(StoreMismatch, match="removed or replaced"):
        store.run(lambda tx: tx.put(NUMBERS, "a", 2))
    assert path.exists() == replaced


def level_of_flushing(store: SqliteStore, *, lasting: bool) -> Any:
    """What SQLite says of the connection that runs the operation."""
    return store.run(lambda tx: cast(Any, tx).execute("PRAGMA synchronous").fetchone()[0], lasting=lasting)


@pytest.mark.threat("K07")
def test_lasting_operations_are_flushed_to_the_disk_whatever_ran_before(store: SqliteStore) -> None:
    full, normal = 2, 1
    assert level_of_flushing(store, lasting=True) == full
    assert level_of_flushing(store, lasting=False) == normal
    assert level_of_flushing(store, lasting=True) == full


def test_a_value_of_another_shape_is_refused_and_names_its_space(store: SqliteStore) -> None:
    class Other(msgspec.Struct, frozen=True):
        text: int

    store.run(lambda tx: tx.put(NOTES, "a", Note("text")))
    with pytest.raises(StoreMismatch, match="in the space 'notes'"):
        store.run(lambda tx: tx.get(Space("notes", Other), "a"))


def test_a_value_that_cannot_be_written_undoes_the_operation(store: SqliteStore) -> None:
    def operation(tx: Tx) -> None:
        tx.put(NUMBERS, "a", 1)
        tx.put(NUMBERS, "b", 2**64)

    with pytest.raises(OverflowError):
        store.run(operation)
    assert store.run(lambda tx: tx.scan(NUMBERS)) == []


def test_closing_closes_the_connections_of_all_threads(path: Path) -> None:
    store = SqliteStore(path)
    for _ in range(3):
        worker = threading.Thread(target=lambda: store.run(lambda tx: tx.put(NUMBERS, "a", 1)))
        worker.start()
        worker.join()
    log = path.with_name("store.db-wal")
    assert log.exists()
    store.close()
    assert not log.exists()  # the last connection to close takes the log with it


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_never_uses_the_connection_of_its_parent(path: Path) -> None:
    assert run_python(FORK, f"sqlite:{path}").split() == ["0", "True"]


def test_people_can_look_into_it_while_it_is_in_use(store: SqliteStore, path: Path) -> None:
    store.run(lambda tx: tx.put(NUMBERS, "a/b", 1))
    looking = sqlite3.connect(path)
    assert looking.execute("SELECT space, key FROM kv").fetchall() == [("numbers", "a/b")]
    looking.close()

"""What the contract does not ask of the store in memory, and its speed rests on."""

from __future__ import annotations

from threading import Event, Thread

import pytest
from tests.stores.backends import NOTES, Note

from ambidex.stores.base import Late, Tx
from ambidex.stores.memory import MemoryStore


def test_a_value_is_kept_as_it_is_and_never_copied() -> None:
    store, note = MemoryStore(), Note("same")
    store.run(lambda tx: tx.put(NOTES, "a", note))
    assert store.run(lambda tx: tx.get(NOTES, "a")) is note


def test_nothing_of_it_is_shared_with_another_store() -> None:
    one, other = MemoryStore(), MemoryStore()
    one.run(lambda tx: tx.put(NOTES, "a", Note("mine")))
    assert other.run(lambda tx: tx.get(NOTES, "a")) is None
    assert (one.url, one.durable) == ("memory:", False)


class _LateNote(Late):
    """Counts how often it is made."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.made = 0

    def value(self) -> Note:
        self.made += 1
        return Note(self.text)


def with_late(*texts: str) -> tuple[MemoryStore, list[_LateNote]]:
    store, notes = MemoryStore(), [_LateNote(text) for text in texts]
    shelf = store.shelf(NOTES)
    with store.lock:
        for note in notes:
            shelf[note.text] = note
            shelf.added(note.text)
    return store, notes


def test_a_late_value_is_made_once_by_whoever_reads_it_first() -> None:
    store, [note] = with_late("a")
    assert note.made == 0
    first, second = (store.run(lambda tx: tx.get(NOTES, "a")) for _ in range(2))
    assert first is second
    assert (first, note.made) == (Note("a"), 1)
    assert store.shelf(NOTES)["a"] is first


def test_a_scan_makes_what_it_gives_and_nothing_else() -> None:
    store, notes = with_late("a", "b", "c")
    store.run(lambda tx: tx.scan(NOTES))
    late = _LateNote("ab")
    store.shelf(NOTES)["ab"] = late
    store.shelf(NOTES).added("ab")
    assert store.run(lambda tx: tx.scan(NOTES, limit=1)) == [("a", Note("a"))]
    assert late.made == 0
    assert store.run(lambda tx: tx.scan(NOTES, after="a", limit=2)) == [("ab", Note("ab")), ("b", Note("b"))]
    assert [note.made for note in (*notes, late)] == [1, 1, 1, 1]


def test_what_is_put_over_a_late_value_or_deleted_was_never_made() -> None:
    store, notes = with_late("a", "b")
    store.run(lambda tx: tx.put(NOTES, "a", Note("new")))
    store.run(lambda tx: tx.delete(NOTES, "b"))
    assert store.run(lambda tx: tx.scan(NOTES)) == [("a", Note("new"))]
    assert [note.made for note in notes] == [0, 0]


@pytest.mark.parametrize("order_is_kept", [False, True])
def test_an_operation_that_fails_leaves_late_values_as_they_were(order_is_kept: bool) -> None:
    store, [put, deleted, read] = with_late("a", "b", "c")
    if order_is_kept:
        store.run(lambda tx: tx.scan(NOTES, prefix="none"))

    def fails(tx: Tx) -> None:
        tx.put(NOTES, "a", Note("new"))
        tx.delete(NOTES, "b")
        tx.get(NOTES, "c")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.run(fails)
    shelf = store.shelf(NOTES)
    assert (shelf["a"], shelf["b"], shelf["c"]) == (put, deleted, Note("c"))
    assert store.run(lambda tx: tx.scan(NOTES)) == [(name, Note(name)) for name in "abc"]
    assert read.made == 1


def test_an_operation_waits_for_whoever_holds_the_lock() -> None:
    store, done = MemoryStore(), Event()

    def writes() -> None:
        store.run(lambda tx: tx.put(NOTES, "a", Note("theirs")))
        done.set()

    other = Thread(target=writes)
    with store.lock:
        other.start()
        assert not done.wait(0.02)
        assert "a" not in store.shelf(NOTES)
    other.join()
    assert store.run(lambda tx: tx.get(NOTES, "a")) == Note("theirs")


def test_a_shelf_that_somebody_holds_is_empty_once_the_store_is_closed() -> None:
    store, _ = with_late("a")
    shelf = store.shelf(NOTES)
    store.close()
    assert dict(shelf) == {}

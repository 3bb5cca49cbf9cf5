"""What the contract does not ask of the store in memory, and its speed rests on."""

from __future__ import annotations

from tests.stores.backends import NOTES, Note

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

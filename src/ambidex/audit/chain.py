"""The chain: each line holds the hash of the line before, so none can be changed, removed or moved unseen.

Lines live in the store and are written in the same transaction as the claim or the finish they tell of. Several
processes share the one chain, since a store runs one transaction after another. A line's hash is the SHA-256 of its
very bytes without the newline; nothing is ever parsed to append.

`append` chains at once. In a memory store that would cost more than the rest of the call and protect nothing, so
there `defer` keeps the events as they are until `settle` chains them: before an export and before any reading.
`recorder(store)` picks the right one of the two.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeAlias

import msgspec

from ambidex.audit.events import Event, EventKind
from ambidex.audit.line import encode
from ambidex.stores.base import Space, Store, Tx
from ambidex.stores.clock import Moment, rfc3339

Record: TypeAlias = Callable[[Tx, Sequence[Event]], None]
"""Puts events into the audit, inside the transaction of what they tell."""

GENESIS = "0" * 64
"""What the first line names as the hash before it."""


class Head(msgspec.Struct, frozen=True):
    """The end of a chain."""

    seq: int
    hash: str
    stream: str
    """A random name, so that a chain cannot be passed off as another."""


class LateEvents:
    """Events that are not made yet: what they tell of knows them, and when each happened."""

    __slots__ = ()

    def dated(self) -> list[tuple[Moment, list[Event]]]:
        """Oldest first."""
        raise NotImplementedError


class Waiting(msgspec.Struct, frozen=True):
    """Events that are not chained yet: an immutable list, newest first, so that a rollback costs nothing."""

    events: tuple[Event, ...] | LateEvents
    at: Moment
    count: int
    """Events from here to the oldest."""
    older: Waiting | None


LINES = Space("audit", bytes)
"""Position -> line."""
HEADS = Space("audit_head", Head)
WAITING = Space("audit_waiting", Waiting)
LOST = Space("audit_lost", int)
"""How many waiting events were dropped since the last `settle`."""

ONLY = "only"
"""The key in a space that holds one value."""
NEWER, OLDER = "newer", "older"
WAITING_LIMIT = 5000
"""Events that wait in each half; when the newer half is full it becomes the older one, and what was there is lost."""


def position(seq: int) -> str:
    """The key of a line; keys sort as numbers do."""
    return f"{seq:016d}"


def head(tx: Tx) -> Head | None:
    """The end of the chain, or None while nothing has been recorded."""
    return tx.get(HEADS, ONLY)


def recorder(store: Store) -> Record:
    """How to record in this store."""
    return append if store.durable else defer


def append(tx: Tx, events: Sequence[Event]) -> None:
    """Chain the events now."""
    if events:
        _chain(tx, events, tx.now)


def defer(tx: Tx, events: Sequence[Event], at: Moment | None = None) -> None:
    """Keep the events for `settle`; they happened now, or at the moment that is given.

    Only for stores that keep values as they are and live in one process.
    """
    if not events:
        return
    newer = tx.get(WAITING, NEWER)
    if newer is not None and newer.count >= WAITING_LIMIT:
        _make_room(tx, newer)
        newer = None
    count = len(events) if newer is None else newer.count + len(events)
    tx.put(WAITING, NEWER, Waiting(tuple(events), at or tx.now, count, newer))


def defer_late(waiting: dict[str, Waiting], events: LateEvents, number: int, at: Moment) -> bool:
    """The same outside of an operation, for `number` events that are made when they are chained.

    `waiting` is the shelf of what waits; its store's lock is held. False, and nothing done, where `defer` would have
    to make room.
    """
    newer = waiting.get(NEWER)
    if newer is None or newer.count >= WAITING_LIMIT:
        return False
    waiting[NEWER] = Waiting(events, at, newer.count + number, newer)
    return True


def settle(tx: Tx) -> None:
    """Chain what waits, oldest first."""
    lost = tx.get(LOST, ONLY)
    if lost:
        _chain(tx, [Event(event=EventKind.EVENTS_LOST, facts={"events": lost})], tx.now)
        tx.delete(LOST, ONLY)
    for half in (OLDER, NEWER):
        waiting = tx.get(WAITING, half)
        if waiting is not None:
            for at, events in _oldest_first(waiting):
                _chain(tx, events, at)
            tx.delete(WAITING, half)


def _make_room(tx: Tx, newer: Waiting) -> None:
    forgotten = tx.get(WAITING, OLDER)
    if forgotten is not None:
        tx.put(LOST, ONLY, (tx.get(LOST, ONLY) or 0) + forgotten.count)
    tx.put(WAITING, OLDER, newer)


def _oldest_first(waiting: Waiting | None) -> list[tuple[Moment, Sequence[Event]]]:
    nodes = []
    while waiting is not None:
        nodes.append(waiting)
        waiting = waiting.older
    found: list[tuple[Moment, Sequence[Event]]] = []
    for node in reversed(nodes):
        found += node.events.dated() if isinstance(node.events, LateEvents) else [(node.at, node.events)]
    return found


def _chain(tx: Tx, events: Sequence[Event], at: Moment) -> None:
    end = tx.get(HEADS, ONLY)
    stream = secrets.token_hex(16) if end is None else end.stream
    seq, prev = (0, GENESIS) if end is None else (end.seq, end.hash)
    named = f'"stream":"{stream}",' if end is None else ""
    when = rfc3339(at)
    for event in events:
        seq += 1
        line = f'{{"seq":{seq},"prev":"{prev}",{named}"at":"{when}",'.encode() + encode(event)[1:]
        tx.put(LINES, position(seq), line)
        prev, named = sha256(line).hexdigest(), ""
    tx.put(HEADS, ONLY, Head(seq, prev, stream))

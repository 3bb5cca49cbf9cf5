"""The log of a conversation's last stream, in the store: what makes it the only one, and what a late reader replays.

A stream belongs to the worker that writes it, as long as that one keeps saying so; of a worker that died nothing more
is waited for. Requests for approval stand in the log under their ids: a token is minted for each reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import orjson

from ambidex.ledger.spaces import CURSORS, below
from ambidex.stores.base import Space, Tx
from ambidex.stores.clock import Moment, elapsed_ms

LEASE_MS = 5_000
"""A stream of which nothing was heard for so long has lost its worker."""
_KEPT_MS = 3_600_000
_LOOKED_AT = 100
_REMEMBERED = 32


class StreamRow(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    message: str
    """The id of the assistant message that it writes."""
    input: str
    """What it answers, as a hash: the same input once more is the same stream. Empty where that cannot be told, or
    where nothing came of it."""
    earlier: tuple[str, ...] = ()
    """Inputs before this one, newest last: none of them is answered a second time."""
    seen: Moment
    batches: int = 0
    approvals: bool = True
    attended: bool = True
    """Somebody reads it."""
    stop: bool = False
    """Somebody wants it to end."""
    ended: bool = False


STREAMS: Space[StreamRow] = Space("stream", StreamRow)
BATCHES: Space[bytes] = Space("stream_batch", bytes)
"""Conversation, stream and number -> chunks, a JSON array of them."""


@dataclass(frozen=True, slots=True)
class Busy:
    """Another answer is being written."""

    row: StreamRow


def is_running(row: StreamRow, now: Moment) -> bool:
    return not row.ended and elapsed_ms(row.seen, now) < LEASE_MS


def claim(tx: Tx, scope: str, id: str, message: str, input: str, *, approvals: bool) -> StreamRow | Busy:
    """Begin a stream, or say which one stands in the way. One that nobody reads any more is told to end.

    A stream that goes on with the message of the last one begins with what that one said: whoever reads it late has to
    see the calls whose outcomes it tells.
    """
    found = tx.get(STREAMS, scope)
    if found is not None and is_running(found, tx.now):
        if not found.attended and not found.stop:
            tx.put(STREAMS, scope, msgspec.structs.replace(found, stop=True))
        return Busy(found)
    before = _so_far(tx, scope, found) if found is not None and found.message == message else b""
    if found is not None:
        _forget_batches(tx, scope, found.id)
    if before:
        tx.put(BATCHES, below(scope, id, 0), before)
    row = StreamRow(
        id=id,
        message=message,
        input=input,
        earlier=_inputs(found),
        seen=tx.now,
        approvals=approvals,
        batches=1 if before else 0,
    )
    tx.put(STREAMS, scope, row)
    _forget_some(tx)
    return row


def _inputs(row: StreamRow | None) -> tuple[str, ...]:
    """What was answered so far, as far as it is remembered."""
    if row is None:
        return ()
    return (*row.earlier, *([row.input] if row.input else []))[-_REMEMBERED:]


def undo(tx: Tx, scope: str, id: str) -> None:
    """Nothing came of this stream: the same input may be tried again."""
    row = tx.get(STREAMS, scope)
    if row is not None and row.id == id:
        tx.put(STREAMS, scope, msgspec.structs.replace(row, input="", ended=True))


def append(tx: Tx, scope: str, id: str, chunks: bytes, *, attended: bool, ended: bool) -> StreamRow | None:
    """Write on, and say that it goes on; None when the stream is no longer this one's."""
    row = tx.get(STREAMS, scope)
    if row is None or row.id != id:
        return None
    if chunks:
        tx.put(BATCHES, below(scope, id, row.batches), chunks)
    more = row.batches + bool(chunks)
    row = msgspec.structs.replace(row, seen=tx.now, batches=more, attended=attended, ended=ended)
    tx.put(STREAMS, scope, row)
    return row


@dataclass(frozen=True, slots=True)
class Read:
    row: StreamRow
    running: bool
    batches: Sequence[bytes]


def read(tx: Tx, scope: str, after: int = 0) -> Read | None:
    """The stream, and its batches from a number on."""
    row = tx.get(STREAMS, scope)
    if row is None:
        return None
    batches = [tx.get(BATCHES, below(scope, row.id, number)) or b"[]" for number in range(after, row.batches)]
    return Read(row, is_running(row, tx.now), batches)


def stop(tx: Tx, scope: str) -> bool:
    """Ask for the end of what runs; whether anything does."""
    row = tx.get(STREAMS, scope)
    if row is None or not is_running(row, tx.now):
        return False
    tx.put(STREAMS, scope, msgspec.structs.replace(row, stop=True))
    return True


def _so_far(tx: Tx, scope: str, row: StreamRow) -> bytes:
    """What a stream said, without its end."""
    batches = (tx.get(BATCHES, below(scope, row.id, number)) or b"[]" for number in range(row.batches))
    chunks = [chunk for batch in batches for chunk in orjson.loads(batch)]
    return orjson.dumps([chunk for chunk in chunks if chunk["type"] not in ("finish", "error")]) if chunks else b""


def _forget_batches(tx: Tx, scope: str, id: str) -> None:
    for place, _ in tx.scan(BATCHES, f"{below(scope, id)}/"):
        tx.delete(BATCHES, place)


def _forget_some(tx: Tx) -> None:
    """Look at a few streams each time one begins, and remove those that ended long ago."""
    found = tx.scan(STREAMS, after=tx.get(CURSORS, STREAMS.name), limit=_LOOKED_AT)
    if len(found) < _LOOKED_AT:
        tx.delete(CURSORS, STREAMS.name)
    else:
        tx.put(CURSORS, STREAMS.name, found[-1][0])
    for scope, row in found:
        if elapsed_ms(row.seen, tx.now) > _KEPT_MS:
            _forget_batches(tx, scope, row.id)
            tx.delete(STREAMS, scope)

"""Forgetting. A conversation in which nothing was said for the retention time is removed, whole; the audit stays.

A write's key thus lives as long as its conversation and the retention time after it. A few rows are looked at each
time, from where the last look ended, so that no transaction is long, however much there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from ambidex.ledger.rows import CallRow, RequestRow, SessionRow
from ambidex.ledger.spaces import (
    CALLS,
    CONVERSATIONS,
    COUNTS,
    CURSORS,
    DOUBTFUL,
    HITS,
    OPEN,
    PENDING,
    REFUSED,
    REQUESTS,
    RESUME,
    SESSIONS,
    TOKENS,
    TURNS,
    below,
    scope_of,
)
from ambidex.stores.base import Space, Tx
from ambidex.stores.clock import elapsed_ms

T = TypeVar("T")
_WRITES = "writes"
_DAY_MS = 86_400_000


def kept_writes(tx: Tx) -> int:
    """How many writes the store holds."""
    return tx.get(COUNTS, _WRITES) or 0


def count_writes(tx: Tx, more: int = 1) -> None:
    if more:
        tx.put(COUNTS, _WRITES, max(0, kept_writes(tx) + more))


def prune(tx: Tx, rows_ms: int, limit: int) -> int:
    """Look at the next `limit` of each kind; how many conversations, sessions and requests were removed."""
    over = [scope for scope, _ in _next(tx, CONVERSATIONS, limit) if _is_over(tx, scope, rows_ms)]
    removed = sum(_forget(tx, scope, limit) for scope in over)
    for _, session in _next(tx, SESSIONS, limit):
        removed += _forget_session(tx, session, rows_ms)
    for _, request in _next(tx, REQUESTS, limit):
        removed += _forget_request(tx, request, rows_ms)
    for token, row in _next(tx, TOKENS, limit):
        if tx.get(REQUESTS, row.request) is None:
            tx.delete(TOKENS, token)
    for name, hits in _next(tx, HITS, limit):
        if not hits.at or elapsed_ms(hits.at[-1], tx.now) > _DAY_MS:
            tx.delete(HITS, name)
    return removed


def _next(tx: Tx, space: Space[T], limit: int) -> Iterator[tuple[str, T]]:
    """The entries after those that were looked at last; from the beginning again once the end was reached."""
    found = tx.scan(space, after=tx.get(CURSORS, space.name), limit=limit)
    if len(found) < limit:
        tx.delete(CURSORS, space.name)
    else:
        tx.put(CURSORS, space.name, found[-1][0])
    yield from found


def _is_over(tx: Tx, scope: str, rows_ms: int) -> bool:
    """Nothing was said for the retention time, and no call of it is still to be settled."""
    conversation = tx.get(CONVERSATIONS, scope)
    turn = tx.get(TURNS, below(scope, conversation.turn)) if conversation and conversation.turn else None
    if turn is None or elapsed_ms(turn.began, tx.now) < rows_ms:
        return False
    return not tx.scan(OPEN, f"{scope}/", limit=1)


def _forget(tx: Tx, scope: str, limit: int) -> bool:
    """False while there is more of it than one transaction should remove; its turns then go last."""
    spaces: tuple[Space[Any], ...] = (CALLS, REFUSED, DOUBTFUL, TURNS)
    for space in spaces:
        found = tx.scan(space, f"{scope}/", limit=limit)
        for place, _ in found:
            tx.delete(space, place)
        if space is CALLS:
            count_writes(tx, -sum(is_counted(row) for _, row in found))
        if len(found) == limit:
            return False
    tx.delete(PENDING, scope)
    tx.delete(CONVERSATIONS, scope)
    return True


def is_counted(row: CallRow) -> bool:
    """Whether a row is a write of its own, and no other call under a second id."""
    return row.writes and not row.same_as


def _forget_session(tx: Tx, session: SessionRow, rows_ms: int) -> bool:
    """One whose conversation is gone, or in which nothing was ever said."""
    scope = scope_of(session.user, session.conversation)
    conversation = tx.get(CONVERSATIONS, scope)
    if elapsed_ms(session.opened, tx.now) < rows_ms or (conversation is not None and conversation.turn):
        return False
    tx.delete(CONVERSATIONS, scope)
    tx.delete(RESUME, session.resume_hash)
    tx.delete(SESSIONS, session.id)
    return True


def _forget_request(tx: Tx, request: RequestRow, rows_ms: int) -> bool:
    if elapsed_ms(request.asked, tx.now) < max(rows_ms, request.ttl_ms):
        return False
    for token in request.tokens:
        tx.delete(TOKENS, token)
    tx.delete(REQUESTS, request.id)
    return True

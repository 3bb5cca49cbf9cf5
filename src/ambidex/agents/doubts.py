"""Writes whose end was not known when the model was answered. Once it is known, the model is told, once.

A write that takes too long goes on without anybody waiting for it, and one whose worker died is looked after by
another: both leave their end in the ledger, where this looks for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import msgspec

from ambidex.agents.memory import Doubt, row_of, set_doubts
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault, ToolResponse
from ambidex.ledger.rows import CallRow, CallState
from ambidex.ledger.spaces import CALLS, DOUBTFUL, TURNS, below
from ambidex.session.envelope import refused
from ambidex.session.session import Session
from ambidex.stores.base import Tx


@dataclass(frozen=True, slots=True)
class LateEnd:
    doubt: Doubt
    answer: ToolResponse


def note_doubts(tx: Tx, scope: str, turn: int, untold: Collection[str]) -> None:
    """Remember what is in doubt now. `untold`: ids of calls of this turn that were answered with OUTCOME_UNKNOWN.

    Such a call may have ended between its answer and this: it is not in doubt any more, and still untold.
    """
    known = row_of(tx, scope).in_doubt
    places = {doubt.place for doubt in known}
    found = [*_unknown(tx, scope), *(_of_turn(tx, scope, turn, untold) if untold else ())]
    new = {place: Doubt(place, row.call_id or row.parent, row.tool) for place, row in found if place not in places}
    if new:
        set_doubts(tx, scope, (*known, *new.values()))


def late_ends(tx: Tx, scope: str, session: Session) -> list[LateEnd]:
    """The ends that are known by now; they are not in doubt, and not told, again."""
    note_doubts(tx, scope, session.turn, ())
    known = row_of(tx, scope).in_doubt
    if not known:
        return []
    rows = [(doubt, tx.get(CALLS, doubt.place)) for doubt in known]
    open_ones = tuple(doubt for doubt, row in rows if row is not None and row.state in _OPEN)
    if len(open_ones) < len(known):
        set_doubts(tx, scope, open_ones)
    return [LateEnd(doubt, _answer(row, doubt, session)) for doubt, row in rows if row and row.state not in _OPEN]


_OPEN = frozenset({CallState.UNKNOWN, CallState.STARTED})
"""Started: recovery runs it again."""


def _unknown(tx: Tx, scope: str) -> Iterator[tuple[str, CallRow]]:
    for _, place in tx.scan(DOUBTFUL, f"{scope}/"):
        row = tx.get(CALLS, place)
        if row is not None and row.state is CallState.UNKNOWN:
            yield place, row


def _of_turn(tx: Tx, scope: str, turn: int, ids: Collection[str]) -> Iterator[tuple[str, CallRow]]:
    found = tx.get(TURNS, below(scope, turn))
    for call in found.calls if found else ():
        place = below(scope, call.key)
        row = tx.get(CALLS, place) if call.writes else None
        if row is not None and row.call_id in ids:
            yield place, row


def _answer(row: CallRow, doubt: Doubt, session: Session) -> ToolResponse:
    """What was recorded; a failure that changed nothing leaves only its type."""
    if row.envelope:
        return msgspec.json.decode(row.envelope, type=ToolResponse)
    fault = Fault(
        type=ErrorType(row.error_type or ErrorType.TRANSIENT),
        message=f"{doubt.name} failed in the end, and changed nothing",
        retryable=True,
        partial_side_effects=False,
    )
    return refused(fault, session.meta(doubt.name, doubt.call_id))

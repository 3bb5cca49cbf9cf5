"""After a crash: every call that was started and has no end gets one.

Rows are claimed by compare-and-set inside the transaction, so however many recover at once, each row is handled once.
"""

from __future__ import annotations

import msgspec

from ambidex.audit.chain import Record
from ambidex.audit.events import EventKind
from ambidex.contracts.faults import ErrorType
from ambidex.ledger.events import call_event
from ambidex.ledger.finish import may_be_tried_again
from ambidex.ledger.rows import CallRow, CallState
from ambidex.ledger.spaces import CALLS, OPEN, scope_of
from ambidex.policy.decide import Worker, take_over
from ambidex.stores.base import Tx
from ambidex.stores.clock import elapsed_ms


def lapsed(tx: Tx, limit: int = 100) -> list[str]:
    """Places of calls that wait for an end and whose worker no longer counts as alive."""
    found = []
    for place, _ in tx.scan(OPEN):
        row = tx.get(CALLS, place)
        if row is None or not _waits(row):
            tx.delete(OPEN, place)
        elif _has_lapsed(tx, row):
            found.append(place)
            if len(found) >= limit:
                break
    return found


def _waits(row: CallRow) -> bool:
    return row.state is CallState.STARTED or may_be_tried_again(row)


def _has_lapsed(tx: Tx, row: CallRow) -> bool:
    return elapsed_ms(row.began, tx.now) >= row.lease_ms


def recover(
    tx: Tx, place: str, worker: Worker, record: Record, *, can_run: bool, kept: bytes | None = None
) -> CallRow | None:
    """The row as it is now: to be run again if it is STARTED, else settled. None when somebody else was faster.

    A read that nobody waits for any more is released. A write is run again only where the far side makes that
    harmless and its tool is at hand; otherwise its outcome is unknown. `kept` are its arguments, redacted.
    """
    row = tx.get(CALLS, place)
    if row is None or not _waits(row) or not _has_lapsed(tx, row):
        return None
    if not row.writes:
        return _release(tx, place, row, record)
    if row.state is CallState.UNKNOWN and not can_run:
        tx.delete(OPEN, place)  # known to be in doubt, and so it stays
        tx.put(CALLS, place, row if kept is None else msgspec.structs.replace(row, args=kept))
        return None
    scope = scope_of(row.user, row.conversation)
    return take_over(tx, scope, row, worker, record, can_run=can_run, kept=kept)


def _release(tx: Tx, place: str, row: CallRow, record: Record) -> CallRow:
    free = msgspec.structs.replace(row, state=CallState.RELEASED, fence=row.fence + 1, ended=tx.now)
    tx.put(CALLS, place, free)
    tx.delete(OPEN, place)
    told = call_event(EventKind.RECOVERED, free, facts={"state": str(free.state)})
    record(tx, [told, call_event(EventKind.CALL_FINISHED, free, ok=False, error_type=ErrorType.TRANSIENT)])
    return free

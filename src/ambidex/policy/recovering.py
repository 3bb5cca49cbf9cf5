"""After a crash: every call that was started and has no end gets one.

Rows are claimed by compare-and-set inside the transaction, so however many recover at once, each row is handled once.
"""

from __future__ import annotations

import msgspec

from ambidex.audit.chain import Record
from ambidex.audit.events import EventKind
from ambidex.contracts.call import Downstream
from ambidex.ledger.events import call_event
from ambidex.ledger.rows import CallRow, CallState
from ambidex.ledger.spaces import CALLS, OPEN, scope_of
from ambidex.policy.decide import Worker, take_over
from ambidex.stores.base import Tx
from ambidex.stores.clock import elapsed_ms


def lapsed(tx: Tx, limit: int = 100) -> list[str]:
    """Places of started calls whose worker no longer counts as alive."""
    found = []
    for place, _ in tx.scan(OPEN):
        row = tx.get(CALLS, place)
        if row is None or row.state is not CallState.STARTED:
            tx.delete(OPEN, place)
        elif elapsed_ms(row.began, tx.now) >= row.lease_ms:
            found.append(place)
            if len(found) >= limit:
                break
    return found


def recover(tx: Tx, place: str, worker: Worker, record: Record, *, can_run: bool) -> CallRow | None:
    """The row to run again under a new fence; None when it is settled, or somebody else was faster.

    A read that nobody waits for any more is released. A write is run again only where the far side makes that
    harmless and its tool is at hand; otherwise its outcome is unknown.
    """
    row = tx.get(CALLS, place)
    if row is None or row.state is not CallState.STARTED or elapsed_ms(row.began, tx.now) < row.lease_ms:
        return None
    scope = scope_of(row.user, row.conversation)
    if not row.writes:
        released = msgspec.structs.replace(row, state=CallState.RELEASED, fence=row.fence + 1, ended=tx.now)
        tx.put(CALLS, place, released)
        tx.delete(OPEN, place)
        record(tx, [call_event(EventKind.RECOVERED, released, facts={"state": str(released.state)})])
        return None
    if not can_run:
        row = msgspec.structs.replace(row, downstream=Downstream.NONE)
    taken = take_over(tx, scope, row, worker, record)
    return taken if taken.state is CallState.STARTED else None

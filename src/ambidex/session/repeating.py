"""Answers for calls that were made before: recorded, in doubt, or still on their way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ToolResponse
from ambidex.execution.attempt import outcome_unknown
from ambidex.ledger.rows import CallRow, CallState
from ambidex.ledger.spaces import CALLS, place_of
from ambidex.policy.refusing import refusal
from ambidex.session.envelope import recorded, refused
from ambidex.session.shared import Shared
from ambidex.stores.errors import StoreUnavailable

if TYPE_CHECKING:
    from ambidex.session.session import Session

_STILL_RUNNING = refusal(
    ErrorType.TRANSIENT,
    "the same call is still running; its answer is not there yet",
    retryable=True,
    retry_after_ms=1000,
    suggestion="Do not repeat it now.",
)


def recorded_answer(session: Session, row: CallRow, call_id: str | None) -> ToolResponse:
    if row.state is CallState.UNKNOWN or not row.envelope:
        return refused(outcome_unknown(row.tool), session.meta(row.tool, call_id, repeats=row.turn))
    return recorded(row, call_id, session.turn)


async def answer_of_running(session: Session, shared: Shared, row: CallRow, call_id: str | None) -> ToolResponse:
    """Until the call that runs now has its answer, here or in another process; at most as long as it may take."""
    place, loop = place_of(row), asyncio.get_running_loop()
    deadline, pause = loop.time() + row.lease_ms / 1000, 0.002
    while loop.time() < deadline:
        waiter = shared.waiting.get(place)
        if waiter is not None:
            await asyncio.wait([waiter], timeout=deadline - loop.time())
        else:
            await asyncio.sleep(pause)
            pause = min(0.05, pause * 1.5)
        try:
            now = await shared.runner.run(lambda tx: tx.get(CALLS, place), lasting=False, timeout=shared.store_seconds)
        except StoreUnavailable:
            break
        if now is None or now.state is CallState.RELEASED:
            break
        if now.state is not CallState.STARTED:
            return recorded_answer(session, now, call_id)
    return refused(_STILL_RUNNING, session.meta(row.tool, call_id))

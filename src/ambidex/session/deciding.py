"""Ask the policy about a call, in the store; and what holds while the store cannot be reached."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ambidex.contracts.call import ToolCall
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.spec import ToolSpec
from ambidex.ledger.finish import let_go
from ambidex.ledger.rows import SessionRow
from ambidex.ledger.sessions import NotOpened, current
from ambidex.ledger.spaces import place_of
from ambidex.policy.climb import Asked
from ambidex.policy.decide import Claimed, Decision, Refused, Worker, decide, turned_away
from ambidex.policy.refusing import refusal
from ambidex.session.asked import Parent, ask
from ambidex.session.shared import Shared
from ambidex.session.writing import patience, until_written
from ambidex.stores.base import Tx
from ambidex.stores.errors import StoreUnavailable

if TYPE_CHECKING:
    from ambidex.session.session import Session

_STORE_DOWN = refusal(
    ErrorType.TRANSIENT,
    "calls cannot be recorded at the moment, so nothing was done",
    retryable=True,
    retry_after_ms=1000,
    suggestion="Tell the user that this does not work right now.",
)


async def decision_on(
    session: Session, shared: Shared, call: ToolCall, *, provider: str, parent: Parent | None, ahead_ms: int
) -> Decision:
    """What becomes of a call. One that may run has its place among those that run, and somebody to wait for."""
    spec = session.registry._tool(call.name).spec if call.name in session.registry else None
    names = (call.name, session.id)
    room = shared.enter(names, (spec.max_concurrency if spec else None, shared.session_room))
    taken_back = call.id is not None and call.id in session.cancelled
    asked = ask(
        call, session.registry, session.mode, provider=provider, parent=parent, room=room, taken_back=taken_back
    )
    found: list[SessionRow] = []
    try:
        decision = await _in_store(session, shared, _operation(session, shared, asked, ahead_ms, found), spec)
    except BaseException:
        if room:
            shared.leave(names)
        raise
    for row in found[-1:]:  # another worker may have begun a turn since
        session.saw(row)
    if isinstance(decision, Claimed):
        session.saw_turn(decision.turn)
        shared.waiting[place_of(decision.row)] = asyncio.get_running_loop().create_future()
        if not room:  # it takes over from a worker that died, which needs none
            shared.enter(names, (None, None))
    elif room:
        shared.leave(names)
    return decision


def _operation(session: Session, shared: Shared, asked: Asked, ahead_ms: int, found: list[SessionRow]) -> Any:
    """The one transaction. `found` learns what the session was when the policy looked."""
    rules = shared.rules(session.registry.version, session.mode)
    worker = Worker(shared.worker.name, shared.worker.grace_ms + ahead_ms)

    def operation(tx: Tx) -> Decision:
        row = current(tx, session.id, session.epoch)
        if isinstance(row, NotOpened):
            return turned_away(tx, asked, session._row, rules, row, shared.record)
        if outdated := shared.outdated(tx, row):
            return turned_away(tx, asked, row, rules, outdated, shared.record)
        found.append(row)
        return decide(tx, asked, row, rules, worker, shared.record)

    return operation


async def _in_store(session: Session, shared: Shared, operation: Any, spec: ToolSpec | None) -> Decision:
    """Without a store nothing may write and nobody can be asked; what only looks goes on with its own budgets."""
    writes = spec is None or spec.side_effects == "writes"
    made: list[Decision] = []

    def noted(tx: Tx) -> Decision:
        made.append(operation(tx))
        return made[-1]

    try:
        decision: Decision = await shared.runner.run(noted, lasting=writes, timeout=patience(shared, spec))
    except StoreUnavailable:
        shared.degraded = True
        if spec is not None and not (writes or spec.requires_confirmation or spec.confirm_when):
            return session.fallback(operation)
        if made and isinstance(claim := made[-1], Claimed):
            # The commit may have come through after all: then there is a claim that nobody will run.
            row = claim.row
            shared.spawn(until_written(shared, row, lambda tx: let_go(tx, row, shared.record)))
        return Refused(_STORE_DOWN, "store_is_there")
    shared.degraded = False
    return decision

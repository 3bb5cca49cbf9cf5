"""Approval and rejection as one transaction: the request is consumed and its call claimed, or neither.

At this moment the world is looked at again: the mode, the session, a block, the tool and its schema must still be what
the user was shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from ambidex.audit.chain import Record
from ambidex.audit.events import EventKind
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault
from ambidex.contracts.spec import ToolSpec
from ambidex.ledger.blocks import block_left_ms
from ambidex.ledger.confirming import NoRequest, find_request, naming, settle
from ambidex.ledger.events import call_event, session_event
from ambidex.ledger.pruning import count_writes, kept_writes
from ambidex.ledger.rows import CallRow, CallState, RequestRow, RequestState, SessionRow, TurnCall, TurnKind, TurnRow
from ambidex.ledger.sessions import Begun, decision_turn, joined_turn
from ambidex.ledger.spaces import BLOCKS, CALLS, DOUBTFUL, OPEN, TURNS, below, block_key, scope_of
from ambidex.ledger.state import turn_begins
from ambidex.policy.asking import schema_digest
from ambidex.policy.decide import Claimed, Recorded, Refused, Running, Worker, take_over
from ambidex.policy.gates import store_is_full
from ambidex.policy.limits import ConfirmationLimits
from ambidex.policy.rates import count_call
from ambidex.policy.refusing import refusal
from ambidex.stores.base import Tx
from ambidex.stores.clock import elapsed_ms
from ambidex.stores.keys import key


@dataclass(frozen=True, slots=True)
class Rejected:
    request: RequestRow
    session: SessionRow
    fault: Fault
    turn: TurnRow | None = None
    """The one that this rejection began or joined; none when it was rejected before."""


Settled: TypeAlias = Claimed | Recorded | Running | Refused | Rejected


def approve(
    tx: Tx,
    session: SessionRow,
    token: str,
    tools: dict[str, ToolSpec],
    limits: ConfirmationLimits,
    worker: Worker,
    record: Record,
    *,
    most_writes: int,
    joining: int | None = None,
) -> Settled:
    """`joining`: the turn that an earlier decision of the same request began, which this one belongs to as well."""
    request = _found(tx, session, token, limits, record)
    if isinstance(request, Refused):
        return request
    if request.state is RequestState.CONSUMED:
        return _again(tx, request, session, worker, record)
    if not _is_pending(tx, request):
        return _over(tx, request, session, record)
    joins = joined_turn(tx, session, joining) is not None
    changed = _changed(tx, session, request, tools.get(request.tool), joins=joins)
    if changed is not None:
        return _refuse(tx, session, request, changed, "world_is_unchanged", record)
    if tools[request.tool].side_effects == "writes" and kept_writes(tx) >= most_writes:
        return _refuse(tx, session, request, store_is_full(), "store_has_room", record)
    begun = decision_turn(tx, session, request.input, TurnKind.APPROVAL, record, joining=joining)
    return _claim(tx, request, begun, tools[request.tool], worker, record)


def reject(
    tx: Tx,
    session: SessionRow,
    token: str,
    limits: ConfirmationLimits,
    record: Record,
    *,
    joining: int | None = None,
) -> Settled:
    request = _found(tx, session, token, limits, record)
    if isinstance(request, Refused):
        return request
    if request.state is RequestState.CONSUMED:
        fault = refusal(ErrorType.CONFLICT, "the request was approved already", details={"state": "approved"})
        return _refuse(tx, session, request, fault, "request_is_pending", record)
    if request.state is RequestState.REJECTED:
        record(tx, [session_event(EventKind.CALL_DUPLICATE, session, **naming(request))])
        return Rejected(request, session, rejection(request))
    if not _is_pending(tx, request):
        return _over(tx, request, session, record)
    settle(tx, request, RequestState.REJECTED, session, record)
    if not _can_go_on(session, joins=joined_turn(tx, session, joining) is not None):
        return Rejected(request, session, rejection(request))
    begun = decision_turn(tx, session, request.input, TurnKind.REJECTION, record, joining=joining)
    return Rejected(request, begun.session, rejection(request), begun.turn)


def rejection(request: RequestRow) -> Fault:
    return refusal(
        ErrorType.CONFIRMATION_REJECTED,
        f"the user said no to {request.tool}; nothing was done",
        suggestion="Accept it. Ask what they would like instead; do not ask for the same again.",
    )


def _found(tx: Tx, session: SessionRow, token: str, limits: ConfirmationLimits, record: Record) -> RequestRow | Refused:
    found = find_request(tx, session, token, limits.wrong, limits.window_ms, record)
    if isinstance(found, RequestRow):
        return found
    fault = _no_request(found)
    if found.wait_ms or found.retired:  # a wrong token has left its own line
        return _refuse(tx, session, None, fault, "token_is_good", record)
    return Refused(fault, "token_is_good")


def _refuse(
    tx: Tx, session: SessionRow, request: RequestRow | None, fault: Fault, rule: str, record: Record
) -> Refused:
    """Decisions that come to nothing are told to the audit, as refused calls are."""
    about = naming(request) if request else {}
    event = session_event(EventKind.CALL_REFUSED, session, rule=rule, ok=False, error_type=fault.type, **about)
    record(tx, [event])
    return Refused(fault, rule)


def _no_request(found: NoRequest) -> Fault:
    if found.wait_ms:
        message = "too many wrong tokens; no decision is taken for now"
        return refusal(ErrorType.RATE_LIMIT, message, retry_after_ms=found.wait_ms, retryable=True)
    if found.retired:
        message = "this token was replaced by newer ones; list the requests again"
        return refusal(ErrorType.CONFIRMATION_EXPIRED, message)
    return refusal(ErrorType.NOT_FOUND, "there is no such request")


def _is_pending(tx: Tx, request: RequestRow) -> bool:
    return request.state is RequestState.PENDING and elapsed_ms(request.asked, tx.now) < request.ttl_ms


def _over(tx: Tx, request: RequestRow, session: SessionRow, record: Record) -> Refused:
    if request.state is RequestState.REJECTED:
        fault = refusal(ErrorType.CONFLICT, "the request was rejected already", details={"state": "rejected"})
        return _refuse(tx, session, request, fault, "request_is_pending", record)
    fault = refusal(ErrorType.CONFIRMATION_EXPIRED, "the decision came too late; nothing was done")
    if request.state is RequestState.PENDING:
        settle(tx, request, RequestState.EXPIRED, session, record)
        return Refused(fault, "request_is_in_time")
    return _refuse(tx, session, request, fault, "request_is_in_time", record)


def _can_go_on(session: SessionRow, *, joins: bool) -> bool:
    """Whether another turn may begin: a session may have ended, or be about to with the turn it is in."""
    return session.state.is_active and (joins or turn_begins(session.state).is_active)


def _changed(tx: Tx, session: SessionRow, request: RequestRow, tool: ToolSpec | None, *, joins: bool) -> Fault | None:
    """What is no longer as it was when the user was asked."""
    left = block_left_ms(tx.get(BLOCKS, block_key(session.user.tenant, session.user.id)), tx.now)
    if left:
        return refusal(ErrorType.UNAVAILABLE, "this user is blocked for now", retry_after_ms=left)
    if not _can_go_on(session, joins=joins):
        return refusal(ErrorType.SESSION_INACTIVE, "the session has ended")
    if tool is None:
        return refusal(ErrorType.NOT_FOUND, "the tool no longer exists")
    if session.state.mode not in tool.allowed_modes:
        return refusal(ErrorType.MODE_RESTRICTED, f"{tool.tool_id} is not allowed in {session.state.mode}")
    if (tool.version, schema_digest(tool)) != (request.tool_version, request.schema_digest):
        return refusal(ErrorType.CONFLICT, "the tool has changed since the user was asked; ask again")
    return None


def _claim(tx: Tx, request: RequestRow, begun: Begun, tool: ToolSpec, worker: Worker, record: Record) -> Claimed:
    """Exactly the stored arguments, at no cost to the turn's budget."""
    name = key("approved", request.id)
    session, scope = begun.session, scope_of(request.user, request.conversation)
    row = CallRow(
        key=name,
        state=CallState.STARTED,
        tool=request.tool,
        tool_version=request.tool_version,
        registry=session.registry,
        session=session.id,
        conversation=session.conversation,
        user=session.user,
        mode=session.state.mode,
        epoch=session.epoch,
        turn=begun.turn.number,
        call_id=request.call_id,
        args_hash=request.args_hash,
        args=request.args,
        writes=tool.side_effects == "writes",
        downstream=tool.downstream,
        began=tx.now,
        lease_ms=int(tool.timeout_ms) + worker.grace_ms,
        worker=worker.name,
        untrusted=request.untrusted,
        request=request.id,
    )
    place = below(scope, name)
    if row.writes:
        count_writes(tx)
    tx.put(CALLS, place, row)
    _answers(tx, scope, request, row)
    tx.put(OPEN, place, place)
    if row.writes:
        tx.put(DOUBTFUL, below(scope, row.args_hash), place)
    count_call(tx, tool, session)
    turn = _noted(tx, scope, begun.turn, row)
    settle(tx, request, RequestState.CONSUMED, session, record, key=name)
    record(tx, [call_event(EventKind.CALL_STARTED, row)])
    return Claimed(row, session, _as_asked(turn, request))


def _as_asked(turn: TurnRow, request: RequestRow) -> TurnRow:
    """A call that joined another decision's turn still sees the words that led to it."""
    return turn if turn.input == request.input else msgspec.structs.replace(turn, input=request.input)


def _answers(tx: Tx, scope: str, request: RequestRow, row: CallRow) -> None:
    """The call that asked is this one from now on: under its id the outcome is found, whenever it comes again."""
    earlier = tx.get(CALLS, below(scope, request.asked_key)) if request.asked_key else None
    if earlier is not None and earlier.args_hash != row.args_hash:
        return  # meanwhile the id was used for another call, and that one's answer is found under it
    if request.asked_key:
        told = row.args if request.told_args is None else request.told_args
        asked = msgspec.structs.replace(
            row, key=request.asked_key, state=CallState.DONE, turn=request.turn, args=told, request="", same_as=row.key
        )
        tx.put(CALLS, below(scope, request.asked_key), asked)


def _noted(tx: Tx, scope: str, turn: TurnRow, row: CallRow) -> TurnRow:
    """The model may not make the same write once more in this turn."""
    entry = TurnCall(row.key, row.tool, row.args_hash, row.epoch, row.writes)
    turn = msgspec.structs.replace(turn, calls=(*turn.calls, entry))
    tx.put(TURNS, below(scope, turn.number), turn)
    return turn


def _again(tx: Tx, request: RequestRow, session: SessionRow, worker: Worker, record: Record) -> Settled:
    """A second approval gets what the first one led to."""
    scope = scope_of(request.user, request.conversation)
    row = tx.get(CALLS, below(scope, request.key))
    if row is None:
        fault = refusal(ErrorType.CONFIRMATION_EXPIRED, "the outcome is no longer kept")
        return _refuse(tx, session, request, fault, "request_is_pending", record)
    record(tx, [session_event(EventKind.CALL_DUPLICATE, session, **naming(request))])
    if row.state is not CallState.STARTED:
        return Recorded(row)
    if elapsed_ms(row.began, tx.now) < row.lease_ms:
        return Running(row)
    taken = take_over(tx, scope, row, worker, record, kept=request.args)
    if taken.state is not CallState.STARTED:
        return Recorded(taken)
    turn = tx.get(TURNS, below(scope, row.turn))
    return Claimed(taken, session, _as_asked(turn, request)) if turn else Recorded(taken)

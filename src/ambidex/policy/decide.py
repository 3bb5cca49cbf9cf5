"""The one transaction that decides a call: every gate, then claim it, ask for it, or write down why not.

4 to 9 of the pipeline happen here atomically, so two workers can never both let the same call through, and a call
that is refused late has reserved nothing.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from ambidex.arguments.prepare import Prepared
from ambidex.audit.chain import Record
from ambidex.audit.events import Event, EventKind
from ambidex.audit.redact import redact
from ambidex.contracts.call import Category, Downstream
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault
from ambidex.ledger.events import call_event
from ambidex.ledger.pruning import count_writes
from ambidex.ledger.rows import CallRow, CallState, RequestRow, SessionRow, TurnCall, TurnRow
from ambidex.ledger.sessions import NotOpened
from ambidex.ledger.spaces import CALLS, CONVERSATIONS, DOUBTFUL, OPEN, REFUSED, TURNS, below
from ambidex.policy.asking import ask, confirmation_required, needs_a_person
from ambidex.policy.climb import Asked, Climb, Rules
from ambidex.policy.ladder import AFTER_IDENTITY, BEFORE_IDENTITY, first_refusal
from ambidex.policy.rates import count_call
from ambidex.policy.refusing import refusal
from ambidex.policy.seen import ID_REUSED, Seen, key_of, noted, seen_before
from ambidex.stores.base import Tx
from ambidex.stores.clock import elapsed_ms
from ambidex.stores.keys import key


class Claimed(msgspec.Struct, frozen=True):
    """It may run, by this worker, under this fence."""

    row: CallRow
    session: SessionRow
    turn: TurnRow
    prepared: Prepared | None = None
    """None for a call that is run again, or that was approved: its row has the arguments."""
    voice_active: bool = False
    """Whether a voice session of this conversation is running."""


class Recorded(msgspec.Struct, frozen=True):
    """It ran already, or its end is not known: the row says which."""

    row: CallRow


class Running(msgspec.Struct, frozen=True):
    """It is running now, here or elsewhere."""

    row: CallRow


class Refused(msgspec.Struct, frozen=True):
    fault: Fault
    rule: str


class Waiting(msgspec.Struct, frozen=True):
    """A person has to approve it."""

    request: RequestRow
    fault: Fault


Decision: TypeAlias = Claimed | Recorded | Running | Refused | Waiting


class Worker(msgspec.Struct, frozen=True):
    """Who runs what is claimed, and how long it counts as alive beyond a call's own time limit."""

    name: str
    grace_ms: int = 2_000


def decide(tx: Tx, asked: Asked, session: SessionRow, rules: Rules, worker: Worker, record: Record) -> Decision:
    """Climb the ladder; whatever comes of it is written in the same transaction."""
    climb = Climb(tx, asked, session, rules)
    refused = first_refusal(climb, BEFORE_IDENTITY)
    if refused:
        return _refuse(climb, *refused, record)
    name = key_of(climb)
    seen = seen_before(climb, name)
    if isinstance(seen, Fault):
        return _refuse(climb, "id_is_not_reused", seen, record)
    if seen is not None:
        return _repeat(climb, name, seen, worker, record)
    refused = first_refusal(climb, AFTER_IDENTITY)
    if refused:
        return _refuse(climb, *refused, record)
    if why := needs_a_person(climb):
        return _wait(climb, name, why, record)
    return _claim(climb, name, worker, record)


def turned_away(tx: Tx, asked: Asked, session: SessionRow, rules: Rules, why: NotOpened, record: Record) -> Refused:
    """A call on a connection that may make none any more. It never gets to the ladder, and is recorded all the same."""
    climb = Climb(tx, asked, session, rules)
    record(tx, [_event(climb, EventKind.CALL_REFUSED, rule="session_is_current", ok=False, error_type=why.type)])
    return Refused(refusal(why.type, why.message, retry_after_ms=why.retry_after_ms), "session_is_current")


def _claim(climb: Climb, name: str, worker: Worker, record: Record) -> Claimed:
    row, before = _row(climb, name, CallState.STARTED, worker), climb.row(name)
    if before is not None:
        # The key was free again; whoever had it last must not write this one's end.
        row = msgspec.structs.replace(row, fence=before.fence + 1)
    elif row.writes:
        count_writes(climb.tx)
    turn = _counted(climb, name)
    climb.tx.put(CALLS, below(climb.scope, name), row)
    climb.tx.put(TURNS, below(climb.scope, turn.number), turn)
    mark_open(climb.tx, climb.scope, row)
    count_call(climb.tx, climb.tool, climb.session)
    events = [call_event(EventKind.CALL_STARTED, row)]
    if climb.prepared.clamped:
        events.append(call_event(EventKind.CALL_CLAMPED, row, facts={"parameters": ", ".join(climb.prepared.clamped)}))
    record(climb.tx, events)
    conversation = climb.tx.get(CONVERSATIONS, climb.scope)
    speaking = conversation is not None and bool(conversation.voice_session)
    return Claimed(row, climb.session, turn, climb.prepared, speaking)


def mark_open(tx: Tx, scope: str, row: CallRow) -> None:
    """So that recovery finds it, and so that a repeat of a write that never ended is asked about."""
    place = below(scope, row.key)
    tx.put(OPEN, place, place)
    if row.writes:
        tx.put(DOUBTFUL, below(scope, row.args_hash), place)


def _counted(climb: Climb, name: str) -> TurnRow:
    """The turn with this call's reservation."""
    turn, session = climb.open_turn, climb.session
    entry = TurnCall(name, climb.tool.tool_id, climb.asked.args_hash, session.epoch, climb.writes)
    retrieves = climb.tool.category is Category.RETRIEVAL and not climb.discovers
    outside = climb.discovers or climb.hangs_up
    return msgspec.structs.replace(
        turn,
        calls=(*turn.calls, entry),
        retrieval=turn.retrieval + retrieves,
        total=turn.total + (not outside),
        discovery=turn.discovery + climb.discovers,
        hung_up=turn.hung_up or (climb.hangs_up and not climb.discovers),
    )


def _repeat(climb: Climb, name: str, seen: Seen, worker: Worker, record: Record) -> Decision:
    """A call that was seen before costs nothing. If its worker died, this one takes over, or says what is in doubt."""
    turn = climb.open_turn
    if seen.under_another_id:
        alias = msgspec.structs.replace(_row(climb, name, CallState.DONE, worker), same_as=seen.row.key)
        alias = msgspec.structs.replace(alias, args=_redacted(climb))
        climb.tx.put(CALLS, below(climb.scope, name), alias)
    noticed = msgspec.structs.replace(
        turn, calls=noted(turn.calls, seen, climb, name), untrusted=turn.untrusted or _tells_again(climb, seen.row)
    )
    if noticed != turn:
        climb.tx.put(TURNS, below(climb.scope, turn.number), noticed)
    record(climb.tx, [_event(climb, EventKind.CALL_DUPLICATE, rule="", key=seen.row.key)])
    if seen.row.state is not CallState.STARTED:
        return Recorded(seen.row)
    if elapsed_ms(seen.row.began, climb.tx.now) < seen.row.lease_ms:
        return Running(seen.row)
    taken = take_over(climb.tx, climb.scope, seen.row, worker, record, kept=_redacted(climb))
    if taken.state is CallState.STARTED:
        return Claimed(taken, climb.session, turn)
    return Recorded(taken)


def _tells_again(climb: Climb, row: CallRow) -> bool:
    """Whether a recorded answer brings the text of outsiders into this turn once more."""
    return climb.tool.untrusted and row.state is CallState.DONE and not row.error_type


def take_over(
    tx: Tx,
    scope: str,
    row: CallRow,
    worker: Worker,
    record: Record,
    *,
    kept: bytes | None = None,
    can_run: bool = True,
) -> CallRow:
    """A lapsed lease: run it again under a new fence, unless that could do the same thing twice.

    `kept` are its arguments with redacted values replaced, for a row that becomes final here.
    """
    again = can_run and (not row.writes or row.downstream is not Downstream.NONE)
    state = CallState.STARTED if again else CallState.UNKNOWN
    taken = msgspec.structs.replace(
        row,
        state=state,
        fence=row.fence + 1,
        worker=worker.name,
        began=tx.now if again else row.began,
        args=row.args if again or kept is None else kept,
        attempt=row.attempt + again,
        error_type="" if again else str(ErrorType.OUTCOME_UNKNOWN),
        ended=None if again else tx.now,
    )
    tx.put(CALLS, below(scope, row.key), taken)
    events = [call_event(EventKind.RECOVERED, taken, facts={"state": str(state)})]
    if not again:
        tx.delete(OPEN, below(scope, row.key))
        tx.put(DOUBTFUL, below(scope, row.args_hash), below(scope, row.key))
        events.append(call_event(EventKind.CALL_FINISHED, taken, ok=False, error_type=ErrorType.OUTCOME_UNKNOWN))
    record(tx, events)
    return taken


def _wait(climb: Climb, name: str, why: str, record: Record) -> Decision:
    asked = ask(climb, name, record)
    if isinstance(asked, Fault):
        return _refuse(climb, "id_is_not_reused" if asked is ID_REUSED else "requests_are_few", asked, record)
    request, new = asked
    kind = EventKind.CONFIRMATION_REQUESTED if new else EventKind.CALL_DUPLICATE
    record(climb.tx, [_event(climb, kind, rule=why, key=request.id)])
    return Waiting(request, confirmation_required(request))


def _refuse(climb: Climb, rule: str, fault: Fault, record: Record) -> Refused:
    """Free, but counted: after ten the turn's tool use is over. The row is for replay, never for idempotency."""
    turn, number, name = climb.turn, 0, ""
    if turn is not None:
        # A refused attempt to hang up is outside the cap, so it has no number among the others.
        number = 0 if _hangs_up(climb) else turn.refusals + 1
        if number and turn.refusals <= climb.rules.limits.refusals:
            climb.tx.put(TURNS, below(climb.scope, turn.number), msgspec.structs.replace(turn, refusals=number))
        if turn.refusals < climb.rules.limits.refusals:
            place = below(climb.scope, turn.number, number)
            name = key("refused", turn.number, number)
            row = _row(climb, name, CallState.REFUSED, None, rule)
            climb.tx.put(REFUSED, place, msgspec.structs.replace(row, args=_redacted(climb)))
    record(climb.tx, [_event(climb, EventKind.CALL_REFUSED, rule=rule, key=name, ok=False, error_type=fault.type)])
    return Refused(fault, rule)


def _hangs_up(climb: Climb) -> bool:
    return climb.asked.tool is not None and climb.hangs_up


def _row(climb: Climb, name: str, state: CallState, worker: Worker | None, rule: str = "") -> CallRow:
    session, asked, tool = climb.session, climb.asked, climb.asked.tool
    return CallRow(
        key=name,
        state=state,
        tool=tool.tool_id if tool else asked.call.name[:65],
        tool_version=tool.version if tool else "",
        registry=session.registry,
        session=session.id,
        conversation=session.conversation,
        user=session.user,
        mode=session.state.mode,
        epoch=session.epoch,
        turn=session.turn,
        call_id=(asked.call.id or "")[:500],
        args_hash=asked.args_hash,
        args=_args(climb),
        writes=tool is not None and climb.writes,
        downstream=tool.downstream if tool else None,
        began=climb.tx.now,
        lease_ms=int(tool.timeout_ms) + worker.grace_ms if tool and worker else 0,
        worker=worker.name if worker else "",
        parent=asked.parent,
        depth=asked.depth,
        untrusted=asked.untrusted if asked.untrusted is not None else bool(climb.turn and climb.turn.untrusted),
        rule=rule,
    )


def _args(climb: Climb) -> bytes:
    """Canonical where they are valid, as parsed where they are at least JSON."""
    prepared, parsed = climb.asked.prepared, climb.asked.parsed
    if not isinstance(prepared, Fault):
        return prepared.canonical
    return b"" if isinstance(parsed, Fault) else parsed.text


def _redacted(climb: Climb) -> bytes:
    """The form in which a call that will never run is kept."""
    tool, text = climb.asked.tool, _args(climb)
    if tool is None or not tool.redact or not text:
        return text
    return msgspec.json.encode(redact(msgspec.json.decode(text), tool.redact, "args"))


def _event(climb: Climb, kind: EventKind, *, rule: str, **more: object) -> Event:
    row = _row(climb, "", CallState.REFUSED, None, rule)
    return call_event(kind, row, rule=rule, **more)

"""The end of a call, written once: its answer, its intents as facts, what it cost the turn, and its audit line.

A worker whose lease was taken carries a stale fence and can write none of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ambidex.audit.chain import Record
from ambidex.audit.events import Event, EventKind
from ambidex.contracts.call import Downstream
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.intents import AnyIntent, intent_name
from ambidex.contracts.response import ToolResponse
from ambidex.ledger.events import call_event
from ambidex.ledger.rows import CallRow, CallState, SessionRow, State, TurnRow
from ambidex.ledger.sessions import end_session
from ambidex.ledger.spaces import CALLS, CONVERSATIONS, DOUBTFUL, OPEN, SESSIONS, TURNS, below, scope_of
from ambidex.ledger.state import Applied, apply
from ambidex.stores.base import Tx

TOOL_SLOW, LOOK_UP_SLOW, TURN_SLOW = "overBudget", "overRetrievalBudget", "overTurnBudget"
"""The soft budgets, as the audit names them when they were passed."""

MOST_ATTEMPTS = 5
"""Of a write in doubt that is harmless to repeat; after that its outcome stays unknown."""


class Ending(msgspec.Struct, frozen=True):
    """How an execution ended, as the executor saw it."""

    response: ToolResponse
    """With meta."""
    state: CallState
    """DONE, RELEASED (free to be asked again) or UNKNOWN."""
    args: bytes
    """With redacted values replaced: the form that is kept."""
    answer: bytes
    """The envelope that is kept for repeats, with redacted values replaced."""
    duration_ms: float
    attempt: int
    intents: tuple[AnyIntent, ...] = ()
    untrusted: bool = False
    """Whether the answer holds text that outsiders wrote."""
    handed_over: bool = False
    records: tuple[str, ...] = ()
    logged: Sequence[Event] = ()
    """What the handler logged."""
    over_budget: tuple[str, ...] = ()
    """The soft budgets that this call passed, or was the first to find passed."""


class Finished(msgspec.Struct, frozen=True):
    row: CallRow
    session: SessionRow | None
    stale: bool = False
    """Somebody else finished or took over this call: `row` is theirs, and this ending was thrown away."""
    turn: TurnRow | None = None


def finish(tx: Tx, claimed: CallRow, ending: Ending, keep_reads: int, record: Record) -> Finished:
    scope = scope_of(claimed.user, claimed.conversation)
    place = below(scope, claimed.key)
    row = tx.get(CALLS, place)
    late = row is not None and row.state is CallState.UNKNOWN and row.fence == claimed.fence
    if row is not None and (row.fence, row.began, row.state) == (claimed.fence, claimed.began, ending.state):
        return Finished(row, tx.get(SESSIONS, row.session))  # an earlier try came through after all
    if row is not None and (row.fence != claimed.fence or not (row.state is CallState.STARTED or late)):
        record(tx, [call_event(EventKind.LATE_RESULT, claimed, facts={"state": str(row.state), "fenced": True})])
        return Finished(row, tx.get(SESSIONS, row.session), stale=True)
    lost = row is None
    done = _final_row(claimed, ending, tx, lost)
    tx.put(CALLS, place, done)
    if not may_be_tried_again(done):
        tx.delete(OPEN, place)
    if done.writes:
        _settle_doubt(tx, scope, done, place)
    events = list(ending.logged)
    session = tx.get(SESSIONS, claimed.session)
    was_active = session is not None and session.state.is_active
    if session is not None and not late:
        session = _after(tx, session, done, ending, keep_reads, events)
    turn = _charge(tx, scope, done, ending, late)
    events.append(_finished(done, ending, late, lost))
    record(tx, events)
    if session is not None and was_active and not session.state.is_active:
        session = end_session(tx, session, "ended_by_tool", record)
    return Finished(done, session, turn=turn)


def _final_row(claimed: CallRow, ending: Ending, tx: Tx, lost: bool) -> CallRow:
    """A row that vanished while its call ran is a store that lost writes: nothing about the call is certain then."""
    error = ending.response.error
    done = msgspec.structs.replace(
        claimed,
        state=CallState.UNKNOWN if lost and claimed.writes else ending.state,
        envelope=ending.answer if ending.state is not CallState.RELEASED else b"",
        attempt=ending.attempt,
        error_type=str(error.type) if error else "",
        ended=tx.now,
    )
    # What recovery may run again has to keep its arguments whole.
    return done if may_be_tried_again(done) else msgspec.structs.replace(done, args=ending.args)


def may_be_tried_again(row: CallRow) -> bool:
    """A write in doubt that is harmless to repeat: recovery runs it until its end is known, within reason."""
    harmless = row.writes and row.downstream in (Downstream.KEY, Downstream.NATURAL)
    return harmless and row.state is CallState.UNKNOWN and row.attempt < MOST_ATTEMPTS


def let_go(tx: Tx, claimed: CallRow, record: Record) -> None:
    """A claim that nobody will run, for its worker could not see that it was written: the key is free again."""
    scope = scope_of(claimed.user, claimed.conversation)
    place = below(scope, claimed.key)
    row = tx.get(CALLS, place)
    if row is None or (row.state, row.fence, row.began) != (CallState.STARTED, claimed.fence, claimed.began):
        return
    error = ErrorType.TRANSIENT
    free = msgspec.structs.replace(row, state=CallState.RELEASED, ended=tx.now, error_type=str(error), args=b"{}")
    tx.put(CALLS, place, free)
    tx.delete(OPEN, place)
    _settle_doubt(tx, scope, free, place)
    record(tx, [call_event(EventKind.CALL_FINISHED, free, ok=False, error_type=error)])


def _settle_doubt(tx: Tx, scope: str, row: CallRow, place: str) -> None:
    doubt = below(scope, row.args_hash)
    if row.state is CallState.UNKNOWN:
        tx.put(DOUBTFUL, doubt, place)  # an identical write beside it may have ended well meanwhile
    elif tx.get(DOUBTFUL, doubt) == place:
        tx.delete(DOUBTFUL, doubt)


def _after(
    tx: Tx, session: SessionRow, row: CallRow, ending: Ending, keep_reads: int, events: list[Event]
) -> SessionRow:
    """The session with the intents applied, and with at most so many answers of reads kept."""
    state = session.state
    for intent in ending.intents:
        before = state
        state, outcome = apply(before, intent, handed_over=ending.handed_over)
        events.append(_transition(row, intent, before, state, outcome))
    reads = session.reads
    if not row.writes and row.state is CallState.DONE:
        reads = (*reads, row.key)
        while len(reads) > keep_reads:
            _evict(tx, row, reads[0])
            reads = reads[1:]
    if state is session.state and reads is session.reads:
        return session
    changed = msgspec.structs.replace(session, state=state, reads=reads)
    tx.put(SESSIONS, session.id, changed)
    return changed


def _evict(tx: Tx, near: CallRow, name: str) -> None:
    """The answer goes, the row stays."""
    place = below(scope_of(near.user, near.conversation), name)
    old = tx.get(CALLS, place)
    if old is not None:
        tx.put(CALLS, place, msgspec.structs.replace(old, envelope=b""))


def _transition(row: CallRow, intent: AnyIntent, before: State, after: State, outcome: Applied) -> Event:
    changed = {
        name: (getattr(before, name), getattr(after, name))
        for name in before.__struct_fields__
        if getattr(before, name) != getattr(after, name) and name not in ("pending_messages", "closing_message")
    }
    shown = {
        f"{name}.{side}": _fact(value[index])
        for name, value in changed.items()
        for index, side in enumerate(("before", "after"))
    }
    facts = {"intent": intent_name(intent), "outcome": str(outcome), **shown}
    return call_event(EventKind.STATE_TRANSITION, row, facts=facts)


def _fact(value: object) -> str | bool | None:
    return value if isinstance(value, (bool, str)) or value is None else str(value)


def _charge(tx: Tx, scope: str, row: CallRow, ending: Ending, late: bool) -> TurnRow | None:
    """What the call cost its turn, and the mark that outsiders' text leaves."""
    place = below(scope, row.turn)
    turn = tx.get(TURNS, place)
    if turn is None:
        return None
    gave = "ok" if ending.response.ok else row.error_type
    calls = tuple(msgspec.structs.replace(call, gave=gave) if call.key == row.key else call for call in turn.calls)
    turn = msgspec.structs.replace(
        turn,
        calls=calls,
        latency_ms=turn.latency_ms + (0 if late else ending.duration_ms),
        untrusted=turn.untrusted or ending.untrusted,
        warned=turn.warned or TURN_SLOW in ending.over_budget,
    )
    tx.put(TURNS, place, turn)
    if ending.untrusted:
        _mark_current(tx, scope, row)
    return turn


def _mark_current(tx: Tx, scope: str, row: CallRow) -> None:
    """The user may have spoken meanwhile: the text enters the turn that is on when it arrives."""
    conversation = tx.get(CONVERSATIONS, scope)
    place = below(scope, conversation.turn) if conversation else ""
    now = tx.get(TURNS, place) if place else None
    if now is not None and now.number != row.turn:
        tx.put(TURNS, place, msgspec.structs.replace(now, untrusted=True))


def _finished(row: CallRow, ending: Ending, late: bool, lost: bool) -> Event:
    error = ending.response.error
    facts: dict[str, str | int | float | bool | None] = dict.fromkeys(ending.over_budget, True)
    for name, value in (("late", late), ("rowLost", lost)):
        if value:
            facts[name] = True
    return call_event(
        EventKind.LATE_RESULT if late else EventKind.CALL_FINISHED,
        row,
        ok=ending.response.ok,
        error_type=error.type if error else None,
        duration=round(ending.duration_ms, 3),
        intents=tuple(intent_name(intent) for intent in ending.intents),
        records=ending.records,
        facts=facts or None,
    )

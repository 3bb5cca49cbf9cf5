"""A recorded session, decided once more: by another artifact and other limits, in a store of its own.

No handler runs. A call that is let through ends as it ended then; one that was not let through then is taken to end
well. The moment is taken as it was: the clock, blocks, cancelled calls, a process that was full, and whether text of
outsiders had entered.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import msgspec

from ambidex.contracts.call import Category, ToolCall
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ToolResponse
from ambidex.ledger.confirming import list_requests, settle
from ambidex.ledger.finish import Ending, finish
from ambidex.ledger.rows import (
    BlockRow,
    CallRow,
    CallState,
    ConversationRow,
    RequestState,
    SessionRow,
    State,
    TurnCall,
    TurnKind,
)
from ambidex.ledger.sessions import begin_turn, decision_turn
from ambidex.ledger.spaces import (
    BLOCKS,
    CALLS,
    CONVERSATIONS,
    REQUESTS,
    SESSIONS,
    TURNS,
    below,
    block_key,
    place_of,
    scope_of,
)
from ambidex.policy.approving import Rejected, approve
from ambidex.policy.asking import HOUR_MS
from ambidex.policy.climb import Asked, Rules
from ambidex.policy.conditions import Conditions
from ambidex.policy.decide import Claimed, Decision, Refused, Waiting, Worker, decide
from ambidex.policy.explain import FEW, Kind, kind_of, unrecorded
from ambidex.policy.rates import count_call, hit
from ambidex.policy.refusing import refusal
from ambidex.policy.replay import Approval, Call, Recorded
from ambidex.registry.registry import Registry
from ambidex.session.asked import ask, tidy
from ambidex.session.settings import Settings
from ambidex.stores.base import Tx
from ambidex.stores.clock import Moment
from ambidex.stores.keys import key
from ambidex.stores.memory import MemoryStore

_WORKER = Worker("replay")


class Replayed(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One call: what was decided, and what would be."""

    turn: int
    tool: str
    call_id: str
    was: Kind
    was_rule: str = ""
    would: Kind | None = None
    would_rule: str = ""
    message: str = ""
    """Why it would be refused."""
    not_replayable: str = ""
    """Why it could not be decided again."""

    @property
    def differs(self) -> bool:
        return self.would is not None and (self.was, self.was_rule) != (self.would, self.would_rule)


def replay(recorded: Recorded, registry: Registry, settings: Settings) -> list[Replayed]:
    """Every call that the model made, in order, under these tools and these limits."""
    playing = _Playing(recorded, registry, settings)
    return [replayed for event in recorded.events for replayed in playing.play(event)]


class _Then:
    """The clock of the record."""

    def __init__(self, at: Moment) -> None:
        self.at = at

    def moment(self) -> Moment:
        return self.at

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


class _Playing:
    def __init__(self, recorded: Recorded, registry: Registry, settings: Settings) -> None:
        session = recorded.session
        self._recorded = recorded
        self._registry = registry
        self._settings = settings
        self._mode = session.state.mode
        self._scope = scope_of(session.user, session.conversation)
        limits = settings.limits[self._mode]
        self._rules = Rules(limits, settings.confirmation, settings.retention, settings.public, Conditions())
        self._clock = _Then(session.opened)
        self._store = MemoryStore(self._clock)
        self._turn = 0
        self._running: list[tuple[Moment, CallRow, Ending]] = []
        """What was let through and has not ended yet, with when it did."""
        self._requests: dict[str, str] = {}
        """A request then -> the request now."""
        self._elsewhere = list(recorded.elsewhere)
        fresh = msgspec.structs.replace(
            session, state=State(mode=self._mode), epoch=1, turn=0, registry=registry.version, reads=()
        )
        self._store.run(lambda tx: tx.put(SESSIONS, fresh.id, fresh))

    def play(self, event: Call | Approval) -> list[Replayed]:
        if isinstance(event, Approval):
            return self._approve(event)
        if event.turn != self._turn:
            self._begin(event.turn)
        self._pass_time(event.at)
        name = Replayed(turn=event.turn, tool=event.tool, call_id=event.call_id, was=event.was, was_rule=event.rule)
        if why := event.not_replayable:
            self._store.run(lambda tx: self._as_recorded(tx, event))
            return [msgspec.structs.replace(name, not_replayable=why)]
        decision = self._store.run(lambda tx: self._decide(tx, event))
        if isinstance(decision, Claimed) and kind_of(decision) is Kind.RUN:
            self._let_run(decision.row, event.row)
        elif isinstance(decision, Waiting) and event.request:
            self._requests[event.request] = decision.request.id
        return [_compared(name, decision)]

    # Time

    def _pass_time(self, until: Moment) -> None:
        """What had ended by then ends; what the user did in other sessions is counted."""
        while self._running and min(at.wall for at, _, _ in self._running) <= until.wall:
            first = min(self._running, key=lambda one: one[0].wall)
            self._running.remove(first)
            self._finish(*first)
        while self._elsewhere and self._elsewhere[0].began.wall <= until.wall:
            self._count(self._elsewhere.pop(0))
        self._clock.at = until

    def _finish(self, at: Moment, row: CallRow, ending: Ending) -> None:
        self._clock.at = at
        self._store.run(lambda tx: finish(tx, row, ending, self._settings.retention.reads, unrecorded))

    def _count(self, row: CallRow) -> None:
        tool = self._registry._specs.get(row.tool)
        if tool is not None and tool.rate_limit is not None and tool.rate_limit.per == "user":
            self._clock.at = row.began
            self._store.run(lambda tx: count_call(tx, tool, self._session(tx)))

    # Turns

    def _begin(self, number: int) -> None:
        turn = self._recorded.turns.get(number)
        self._turn = number
        if turn is None:
            return
        self._pass_time(turn.began)
        decided = turn.kind in (TurnKind.APPROVAL, TurnKind.REJECTION)

        def operation(tx: Tx) -> None:
            self._make_room_for(tx, number)
            session = self._session(tx)
            if decided:
                decision_turn(tx, session, turn.input, turn.kind, unrecorded)
            else:
                begin_turn(tx, session.id, session.epoch, turn.input, turn.kind, unrecorded)

        self._store.run(operation)

    def _make_room_for(self, tx: Tx, number: int) -> None:
        """The next turn has this number; what the user has said no to by then waits no longer."""
        conversation = tx.get(CONVERSATIONS, self._scope) or ConversationRow()
        tx.put(CONVERSATIONS, self._scope, msgspec.structs.replace(conversation, turn=number - 1))
        for request in self._recorded.requests:
            if request.state is RequestState.REJECTED and request.turn < number:
                now = tx.get(REQUESTS, self._requests.pop(request.id, ""))
                if now is not None and now.state is RequestState.PENDING:
                    settle(tx, now, RequestState.REJECTED, self._session(tx), unrecorded)

    def _approve(self, event: Approval) -> list[Replayed]:
        """Nothing to approve where nobody was asked: then the call that asked has told the difference."""
        wanted = self._requests.pop(event.row.request, "")
        if not wanted:
            if event.turn != self._turn:
                self._begin(event.turn)
            return []
        self._turn = event.turn
        self._pass_time(event.at)
        settled = self._store.run(lambda tx: self._settle(tx, wanted, event.turn))
        if isinstance(settled, Claimed):
            self._let_run(settled.row, event.row)
        name = Replayed(turn=event.turn, tool=event.row.tool, call_id=event.row.call_id, was=Kind.RUN)
        return [_compared(name, settled)]

    def _settle(self, tx: Tx, wanted: str, number: int) -> Decision:
        if self._session(tx).turn != number:  # else it was sent together with the decision that began this turn
            self._make_room_for(tx, number)
        session, limits = self._session(tx), self._settings.confirmation
        listed = list_requests(tx, session, limits.tokens, unrecorded)
        token = next((one.token for one in listed if one.request.id == wanted), None)
        if token is None:
            fault = refusal(ErrorType.CONFIRMATION_EXPIRED, "the decision came too late; nothing was done")
            return Refused(fault, "request_is_in_time")
        specs, most = self._registry._specs, self._settings.retention.writes
        settled = approve(
            tx, session, token, specs, limits, _WORKER, unrecorded, most_writes=most, joining=session.turn
        )
        assert not isinstance(settled, Rejected)  # only `reject` does
        return settled

    # Calls

    def _session(self, tx: Tx) -> SessionRow:
        session = tx.get(SESSIONS, self._recorded.session.id)
        assert session is not None
        return session

    def _decide(self, tx: Tx, call: Call) -> Decision:
        session = self._session(tx)
        session = msgspec.structs.replace(session, epoch=call.epoch or session.epoch, user=call.user)
        tx.put(SESSIONS, session.id, session)
        blocked = block_key(call.user.tenant, call.user.id)
        if call.rule == "user_is_not_blocked":
            tx.put(BLOCKS, blocked, BlockRow(user=call.user.id, tenant=call.user.tenant, since=tx.now, until_ms=1000))
        if call.rule == FEW:
            for _ in range(self._rules.confirmation.hourly):
                hit(tx, key("asked", self._scope), HOUR_MS, self._rules.confirmation.hourly)
        state = msgspec.structs.replace(session.state, is_active=call.rule != "session_is_active")
        session = msgspec.structs.replace(session, state=state)
        rules = self._rules
        if call.rule == "store_has_room":
            rules = replace(rules, retention=replace(rules.retention, writes=0))
        decision = decide(tx, self._asked(call), session, rules, _WORKER, unrecorded)
        tx.delete(BLOCKS, blocked)
        return decision

    def _asked(self, call: Call) -> Asked:
        made = tidy(ToolCall(name=call.tool, args=call.args, id=call.call_id or None))
        asked = ask(made, self._registry, self._mode, provider=call.provider)
        return msgspec.structs.replace(
            asked,
            untrusted=call.untrusted,
            parent=call.parent,
            depth=call.depth,
            room=call.rule != "there_is_room",
            taken_back=call.rule == "call_is_still_wanted",
        )

    def _let_run(self, claimed: CallRow, row: CallRow | None) -> None:
        """It ends when and as it did; one that never ended goes on running here as well."""
        if row is None:
            self._running.append((claimed.began, claimed, _ended_well(claimed)))
        elif row.ended is not None:
            self._running.append((row.ended, claimed, _as_it_ended(row)))

    def _as_recorded(self, tx: Tx, call: Call) -> None:
        """What cannot be decided again counts as it did."""
        place = below(self._scope, call.turn)
        turn = tx.get(TURNS, place)
        if turn is None:
            return
        if call.was is Kind.REFUSE:
            tx.put(TURNS, place, msgspec.structs.replace(turn, refusals=turn.refusals + 1))
        if call.was is not Kind.RUN or call.row is None:
            return
        row, tool = call.row, self._registry._specs.get(call.tool)
        entry = TurnCall(row.key, row.tool, row.args_hash, row.epoch, row.writes, gave=row.error_type or "ok")
        looked = tool is not None and tool.category is Category.RETRIEVAL
        counted = {"total": turn.total + 1, "retrieval": turn.retrieval + looked}
        tx.put(TURNS, place, msgspec.structs.replace(turn, calls=(*turn.calls, entry), **counted))
        tx.put(CALLS, place_of(row), row)
        if tool is not None:
            count_call(tx, tool, self._session(tx))


def _compared(name: Replayed, decision: Decision) -> Replayed:
    would = kind_of(decision)
    if not isinstance(decision, Refused):
        return msgspec.structs.replace(name, would=would)
    message = f"{decision.fault.type}: {decision.fault.message}"
    return msgspec.structs.replace(name, would=would, would_rule=decision.rule, message=message)


def _ended_well(claimed: CallRow) -> Ending:
    response = ToolResponse(ok=True)
    answer = msgspec.json.encode(response)
    return Ending(response, CallState.DONE, claimed.args, answer, duration_ms=0, attempt=1)


def _as_it_ended(row: CallRow) -> Ending:
    """The recorded answer with its intents, or, where it was not kept, at least how it went."""
    if row.envelope:
        response = msgspec.json.decode(row.envelope, type=ToolResponse)
    elif row.error_type:
        response = ToolResponse(ok=False, error=refusal(ErrorType(row.error_type), "as recorded"))
    else:
        response = ToolResponse(ok=True)
    answer = row.envelope or msgspec.json.encode(response)
    return Ending(response, row.state, row.args, answer, duration_ms=0, attempt=1, intents=response.intents)

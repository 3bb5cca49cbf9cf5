"""A session, as applications and transports use it. Its mode, its registry and its epoch never change."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import msgspec

from ambidex.contracts.call import Mode, ToolCall
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Meta, ToolResponse
from ambidex.contracts.user import User
from ambidex.errors import Refused as RefusedError
from ambidex.ledger.confirming import Listed, list_requests
from ambidex.ledger.page import Page
from ambidex.ledger.rows import SessionRow, TurnKind, TurnRow
from ambidex.ledger.sessions import Begun, NotOpened, begin_turn, current, end_session, turn_is_spoken
from ambidex.ledger.spaces import SESSIONS, TURNS, below, scope_of
from ambidex.policy.approving import Rejected, Settled, approve, reject
from ambidex.policy.decide import Claimed, Decision, Recorded, Refused, Running
from ambidex.policy.explain import Explanation, Undone, explain, turned_away, undone
from ambidex.policy.refusing import refusal
from ambidex.registry.registry import Registry
from ambidex.session.asked import ask, storable, tidy
from ambidex.session.context import Channel
from ambidex.session.controller import StateController
from ambidex.session.envelope import meta_of, refused, with_plain_data
from ambidex.session.lanes import Lanes
from ambidex.session.pipeline import Decided, Pipeline
from ambidex.session.shared import Shared
from ambidex.stores.base import Tx
from ambidex.stores.clock import Moment, rfc3339
from ambidex.stores.errors import StoreUnavailable
from ambidex.stores.memory import MemoryStore


@dataclass(frozen=True, slots=True)
class Confirmation:
    """For the user's channel only: it carries a token."""

    id: str
    token: str
    tool: str
    args: Mapping[str, Any]
    preview: str
    expires: str

    def __repr__(self) -> str:
        return f"<confirmation {self.id} of {self.tool}>"


class Session:
    """Made by `Orchestrator.open` and `attach`. Answers never raise; `begin_turn` raises `Refused`."""

    __slots__ = (
        "_fallback",
        "_lanes",
        "_page",
        "_pipeline",
        "_row",
        "_shared",
        "_turn",
        "cancelled",
        "channel",
        "registry",
        "resume_token",
    )

    def __init__(self, row: SessionRow, registry: Registry, shared: Shared, resume_token: str) -> None:
        self._row = row
        self._shared = shared
        self._turn: TurnRow | None = None
        self._fallback: MemoryStore | None = None
        self._lanes: Lanes | None = shared.express.lanes(registry, row.state.mode) if shared.express else None
        self._page: Page | None = None
        self._pipeline = Pipeline(self, shared)
        self.registry = registry
        self.resume_token = resume_token
        self.channel: Channel | None = None
        """The way to the user's client; a transport sets it."""
        self.cancelled: set[str] = set()

    def __repr__(self) -> str:
        return f"<Session {self.mode}, epoch {self.epoch}, turn {self.turn}>"

    @property
    def id(self) -> str:
        return self._row.id

    @property
    def conversation(self) -> str:
        return self._row.conversation

    @property
    def user(self) -> User:
        return self._row.user

    @property
    def mode(self) -> Mode:
        return self._row.state.mode

    @property
    def epoch(self) -> int:
        return self._row.epoch

    @property
    def turn(self) -> int:
        return self._row.turn

    @property
    def state(self) -> StateController:
        """Reads what this process last saw; intents of results are applied in the store."""
        return StateController(self._row.state)

    # Turns

    async def begin_turn(self, said: str, *, kind: TurnKind = TurnKind.MESSAGE) -> tuple[str, ...]:
        """Accepted user input. Gives the messages that were waiting for it; raises `ambidex.Refused`."""
        shared, said = self._shared, storable(said)

        def operation(tx: Tx) -> Begun | NotOpened:
            row = current(tx, self.id, self.epoch)
            if isinstance(row, NotOpened):
                return row
            return shared.outdated(tx, row) or begin_turn(tx, self.id, self.epoch, said, kind, shared.record)

        begun: Begun = await self._stored(operation)
        self.saw(begun.session)
        self._turn, self._fallback = begun.turn, None
        self.cancelled.clear()
        return begun.messages

    async def spoken(self) -> None:
        """A transport says that the agent's turn was heard to its end, or that its time is up.

        A session that was to end with the turn, or after its farewell, ends now. Raises `ambidex.Refused`.
        """
        shared = self._shared
        self.saw(await self._stored(lambda tx: turn_is_spoken(tx, self.id, self.epoch, shared.record)))

    async def _stored(self, operation: Any) -> Any:
        try:
            found = await self._shared.runner.run(operation, timeout=self._shared.store_seconds)
        except StoreUnavailable:
            message = "the store cannot be reached; try again"
            raise RefusedError(refusal(ErrorType.TRANSIENT, message, retryable=True)) from None
        if isinstance(found, NotOpened):
            raise RefusedError(refusal(found.type, found.message, retry_after_ms=found.retry_after_ms))
        return found

    # Calls

    async def answer(self, calls: Sequence[ToolCall], *, provider: str = "api") -> list[ToolResponse]:
        """One message of a model: an envelope for each call, in the order asked.

        `provider` names whose ids these are; an empty one says that ids cannot be trusted to be stable.
        """
        answers = await self._pipeline.answer(calls, provider=provider)
        return [with_plain_data(answer) for answer in answers]

    async def answer_json(
        self, name: str, args: str | bytes | Mapping[str, Any], *, id: str | None = None, provider: str = "api"
    ) -> bytes:
        """One call; the compact bytes of the whole envelope."""
        return await self._pipeline.answer_json(name, args, id, provider)

    async def explain(self, call: ToolCall, *, provider: str = "api") -> Explanation:
        """What every gate would answer to this call now. Nothing runs or is written; raises `ambidex.Refused`."""
        shared, call = self._shared, tidy(call)
        spec, names = self.registry._specs.get(call.name), (call.name, self.id)
        room = shared.enter(names, (spec.max_concurrency if spec else None, shared.session_room))
        if room:
            shared.leave(names)
        taken_back = call.id is not None and call.id in self.cancelled
        asked = ask(call, self.registry, self.mode, provider=provider, room=room, taken_back=taken_back)
        rules = shared.rules(self.registry.version, self.mode)

        def operation(tx: Tx) -> Explanation:
            row = current(tx, self.id, self.epoch)
            if isinstance(row, NotOpened):
                return turned_away(asked, self._row, row)
            # One that has ended already is not ended, and counted, once more.
            state = msgspec.structs.replace(row.state, is_active=False)
            if outdated := shared.outdated(tx, msgspec.structs.replace(row, state=state)):
                return turned_away(asked, row, outdated)
            return explain(tx, asked, row, rules, shared.worker)

        try:
            found = await self._stored(undone(operation))
        except Undone as looked:
            found = looked.found
        explanation: Explanation = found
        return explanation

    async def cancel(self, call_ids: Sequence[str]) -> None:
        """The provider takes these calls back. What may be stopped is stopped; anything else ends unheard."""
        self.cancelled.update(call_ids)
        self._pipeline.runner.cancel(call_ids)

    async def interrupt(self) -> None:
        """Barge-in: the same for everything that runs."""
        self._pipeline.runner.cancel(None)

    # The user's side of confirmation

    async def confirmations(self) -> list[Confirmation]:
        """What waits for the user, each with a fresh token."""
        shared = self._shared

        def operation(tx: Tx) -> list[Listed] | NotOpened:
            row = current(tx, self.id, self.epoch)
            if isinstance(row, NotOpened):
                return row
            return list_requests(tx, row, shared.confirmation.tokens, shared.record)

        return [_for_the_user(listed) for listed in await self._stored(operation)]

    async def approve(self, token: str, *, joining: int | None = None) -> ToolResponse:
        """Run exactly what was shown, once; a second approval gives the recorded outcome.

        Of several decisions that the user sends together the first begins a turn, and the others join it: `joining` is
        its number. Once anything else has begun a turn, they begin their own.
        """
        shared = self._shared
        specs = self.registry._specs

        def operation(tx: Tx) -> Settled:
            row = self._at_hand(tx)
            if isinstance(row, NotOpened):
                return Refused(refusal(row.type, row.message), "session_is_current")
            most, limits = shared.retention.writes, shared.confirmation
            return approve(
                tx, row, token, specs, limits, shared.worker, shared.record, most_writes=most, joining=joining
            )

        return await self._settled(operation)

    async def reject(self, token: str, *, joining: int | None = None) -> ToolResponse:
        """Nothing runs; `joining` as with `approve`."""
        shared = self._shared

        def operation(tx: Tx) -> Settled:
            row = self._at_hand(tx)
            if isinstance(row, NotOpened):
                return Refused(refusal(row.type, row.message), "session_is_current")
            return reject(tx, row, token, shared.confirmation, shared.record, joining=joining)

        return await self._settled(operation)

    def _at_hand(self, tx: Tx) -> SessionRow | NotOpened:
        """This session as it is now, unless another connection or another registry has taken its place."""
        row = current(tx, self.id, self.epoch)
        return row if isinstance(row, NotOpened) else self._shared.outdated(tx, row) or row

    async def _settled(self, operation: Any) -> ToolResponse:
        """A decision that was taken is carried out, also when whoever brought it goes away meanwhile."""
        return await asyncio.shield(self._shared.spawn(self._carry_out(operation)))

    async def _carry_out(self, operation: Any) -> ToolResponse:
        try:
            settled: Settled = await self._shared.runner.run(operation, timeout=self._shared.store_seconds)
        except StoreUnavailable:
            fault = refusal(ErrorType.TRANSIENT, "the decision could not be recorded; try again", retryable=True)
            return self._refused(fault)
        if isinstance(settled, Rejected):
            self.saw(settled.session)
            self._turn, self._fallback = settled.turn or self._turn, None
            return self._refused(settled.fault, tool=settled.request.tool, call_id=settled.request.call_id)
        if isinstance(settled, Refused):
            return self._refused(settled.fault)
        if isinstance(settled, Claimed):
            self.saw(settled.session)
            self._turn, self._fallback = settled.turn, None
            self._shared.enter((settled.row.tool, self.id), (None, None))
        return with_plain_data(await self._pipeline.settle(_decided(settled)))

    def _refused(self, fault: Any, *, tool: str = "", call_id: str = "") -> ToolResponse:
        return refused(fault, self.meta(tool, call_id))

    # The end

    async def close(self, reason: str = "closed") -> None:
        """The session ends; its conversation, and what is pending in it, goes on."""
        shared = self._shared

        def operation(tx: Tx) -> SessionRow | None:
            row = current(tx, self.id, self.epoch)
            if isinstance(row, NotOpened) or not row.state.is_active:
                return None
            return end_session(tx, row, reason, shared.record)

        ended = await shared.runner.run(operation, timeout=shared.store_seconds)
        if ended is not None:
            self.saw(ended)

    # For the pipeline

    def meta(self, name: str, call_id: str | None, *, repeats: int | None = None) -> Meta:
        """Of an answer for which nothing ran; `repeats` is the turn of the call that it repeats."""
        spec, now = self.registry._specs.get(name), self._shared.runner.store.clock.moment()
        meta = meta_of(tool=spec, name=name, registry=self.registry.version, call_id=call_id, turn=self.turn, now=now)
        if repeats is None:
            return meta
        return msgspec.structs.replace(meta, deduplicated=True, original_turn=repeats)

    def saw(self, row: SessionRow) -> None:
        """What the store said last about this session."""
        if row.epoch == self._row.epoch and row.turn >= self._row.turn:
            self._row = row

    def saw_turn(self, turn: TurnRow) -> None:
        """What this turn has used so far: were the store to be lost now, budgets would go on from there."""
        if self._turn is None or turn.number >= self._turn.number:
            self._turn = turn

    def fallback(self, operation: Any) -> Decision:
        """Decide without the store, on a copy of what was last seen: for tools that only look."""
        if self._fallback is None:
            self._fallback = MemoryStore(self._shared.runner.store.clock)
            self._fallback.run(self._seed)
        decision: Decision = self._fallback.run(operation)
        return decision

    def _seed(self, tx: Tx) -> None:
        tx.put(SESSIONS, self.id, self._row)
        if self._turn is not None:
            tx.put(TURNS, below(scope_of(self.user, self.conversation), self._turn.number), self._turn)


def _decided(settled: Claimed | Recorded | Running) -> Decided:
    row = settled.row
    return Decided(ToolCall(name=row.tool, id=row.call_id or None), settled)


def _for_the_user(listed: Listed) -> Confirmation:
    request = listed.request
    expires = Moment(request.asked.wall + request.ttl_ms, 0, "")
    args: dict[str, Any] = msgspec.json.decode(request.args)
    return Confirmation(
        id=request.id,
        token=listed.token,
        tool=request.tool,
        args=MappingProxyType(args),
        preview=request.preview,
        expires=rfc3339(expires),
    )

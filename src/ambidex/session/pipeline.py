"""Calls of one session, from the model to the answer: decide, run, finish. One path for every entry."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from ambidex.audit.redact import redact
from ambidex.contracts.call import Category, ToolCall
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault, ToolResponse
from ambidex.contracts.spec import ToolSpec
from ambidex.execution.attempt import Attempt, How, judge, outcome_unknown
from ambidex.execution.engine import Execution, Ran, state_of
from ambidex.execution.results import Result
from ambidex.execution.where import where
from ambidex.ledger.finish import LOOK_UP_SLOW, TOOL_SLOW, TURN_SLOW, Ending, Finished, finish, let_go
from ambidex.ledger.rows import CallRow, CallState, SessionRow
from ambidex.ledger.sessions import NotOpened, current
from ambidex.ledger.spaces import CALLS, below, scope_of
from ambidex.policy.decide import Claimed, Decision, Recorded, Refused, Running, Waiting, Worker, decide, turned_away
from ambidex.policy.refusing import refusal
from ambidex.registry.registry import Registry
from ambidex.session.asked import ask, tidy
from ambidex.session.context import CallContext
from ambidex.session.envelope import answered, meta_of, recorded, refused, with_plain_data
from ambidex.session.message import Message
from ambidex.session.shared import Shared
from ambidex.stores.base import Tx
from ambidex.stores.errors import StoreUnavailable

if TYPE_CHECKING:
    from ambidex.session.session import Session

logger = logging.getLogger("ambidex.session")
_STILL_RUNNING = refusal(
    ErrorType.TRANSIENT,
    "the same call is still running; its answer is not there yet",
    retryable=True,
    retry_after_ms=1000,
    suggestion="Do not repeat it now.",
)
_BROKEN = refusal(
    ErrorType.INTERNAL,
    "the call could not be handled; this is a fault of the system, not of the call",
    suggestion="Go on without it, and tell the user that it did not work.",
)
_STORE_DOWN = refusal(
    ErrorType.TRANSIENT,
    "calls cannot be recorded at the moment, so nothing was done",
    retryable=True,
    retry_after_ms=1000,
    suggestion="Tell the user that this does not work right now.",
)
_NOBODY_WAITS = refusal(ErrorType.CANCELLED, "whoever asked went away before this call began")


@dataclass(frozen=True, slots=True)
class Parent:
    """The call that a handler makes this one from."""

    call_id: str
    depth: int
    untrusted: bool


@dataclass(frozen=True, slots=True)
class Decided:
    call: ToolCall
    decision: Decision


class Pipeline:
    """One for each session object; holds nothing that must last."""

    __slots__ = ("_running", "_session", "_shared")

    def __init__(self, session: Session, shared: Shared) -> None:
        self._session = session
        self._shared = shared
        self._running: dict[str, Execution] = {}

    async def answer(
        self, calls: Sequence[ToolCall], *, provider: str, parent: Parent | None = None, careful: bool = True
    ) -> list[ToolResponse]:
        """One model message: all gates climb first, in the order asked; then reads together, writes alone, in order."""
        calls = [tidy(call) for call in calls]
        if len(calls) == 1 and not self._shared.runner.store.durable:
            # Decided on the spot: nobody can go away between the claim and the run.
            return [await self.settle(await self._decide(calls[0], provider, parent, careful, 0))]
        message = Message()
        task = self._shared.spawn(self._answer(calls, provider, parent, careful, message))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            message.leave()
            raise

    async def _answer(
        self, calls: Sequence[ToolCall], provider: str, parent: Parent | None, careful: bool, message: Message
    ) -> list[ToolResponse]:
        decided, ahead_ms = [], 0
        for call in calls:
            if message.gone:
                decided.append(Decided(call, Refused(_NOBODY_WAITS, "caller_is_there")))
                continue
            one = await self._decide(call, provider, parent, careful, ahead_ms)
            decided.append(one)
            if isinstance(one.decision, Claimed):
                # It already covers everything before it, and the next one waits for all of that.
                ahead_ms = one.decision.row.lease_ms
        return await self._run_in_order(decided, message)

    async def _run_in_order(self, decided: Sequence[Decided], message: Message) -> list[ToolResponse]:
        answers: list[asyncio.Task[ToolResponse]] = []
        for one in decided:
            writes = isinstance(one.decision, Claimed) and one.decision.row.writes
            if writes and answers:
                await asyncio.wait(answers)
            task = self._shared.spawn(self.settle(one, message))
            answers.append(task)
            if writes:
                await asyncio.wait([task])
        return [await task for task in answers]

    # Decide

    async def _decide(
        self, call: ToolCall, provider: str, parent: Parent | None, careful: bool, ahead_ms: int
    ) -> Decided:
        """Whatever goes wrong in here, the call is answered, and it has not run."""
        try:
            return Decided(call, await self._decision(call, provider, parent, careful, ahead_ms))
        except Exception as error:
            logger.error("a call of %r could not be decided: %s", call.name, where(error))
            logger.debug("a call of %r could not be decided", call.name, exc_info=error)
            return Decided(call, Refused(_BROKEN, "pipeline_works"))

    async def _decision(
        self, call: ToolCall, provider: str, parent: Parent | None, careful: bool, ahead_ms: int
    ) -> Decision:
        session, shared = self._session, self._shared
        spec = session.registry._tool(call.name).spec if call.name in session.registry else None
        names = (call.name, session.id)
        room = shared.enter(names, (spec.max_concurrency if spec else None, shared.session_room))
        asked = ask(
            call,
            session.registry,
            session.mode,
            provider=provider,
            untrusted=parent.untrusted if parent else None,
            parent=parent.call_id if parent else "",
            depth=parent.depth if parent else 0,
            ask_about_doubt=careful,
            room=room,
            taken_back=call.id is not None and call.id in session.cancelled,
        )
        rules = shared.rules(session.registry.version, session.mode)
        worker = Worker(shared.worker.name, shared.worker.grace_ms + ahead_ms)
        found: list[SessionRow] = []

        def operation(tx: Tx) -> Decision:
            row = current(tx, session.id, session.epoch)
            if isinstance(row, NotOpened):
                return turned_away(tx, asked, session._row, rules, row, shared.record)
            if outdated := shared.outdated(tx, row):
                return turned_away(tx, asked, row, rules, outdated, shared.record)
            found.append(row)
            return decide(tx, asked, row, rules, worker, shared.record)

        try:
            decision = await self._in_store(operation, spec)
        except BaseException:
            if room:
                shared.leave(names)
            raise
        for row in found[-1:]:  # another worker may have begun a turn since
            session.saw(row)
        if isinstance(decision, Claimed):
            session.saw_turn(decision.turn)
            shared.waiting[self._place(decision.row)] = asyncio.get_running_loop().create_future()
            if not room:  # it takes over from a worker that died, which needs none
                shared.enter(names, (None, None))
        elif room:
            shared.leave(names)
        return decision

    async def _in_store(self, operation: Any, spec: ToolSpec | None) -> Decision:
        """Without a store nothing may write and nobody can be asked; what only looks goes on with its own budgets."""
        shared = self._shared
        writes = spec is None or spec.side_effects == "writes"
        made: list[Decision] = []

        def noted(tx: Tx) -> Decision:
            made.append(operation(tx))
            return made[-1]

        try:
            decision: Decision = await shared.runner.run(noted, lasting=writes, timeout=self._patience(spec))
        except StoreUnavailable:
            shared.degraded = True
            if spec is not None and not (writes or spec.requires_confirmation or spec.confirm_when):
                return self._session.fallback(operation)
            if made and isinstance(claim := made[-1], Claimed):
                # The commit may have come through after all: then there is a claim that nobody will run.
                row = claim.row
                shared.spawn(self._until_written(row, lambda tx: let_go(tx, row, shared.record)))
            return Refused(_STORE_DOWN, "store_is_there")
        shared.degraded = False
        return decision

    def _patience(self, spec: ToolSpec | None) -> float:
        """Seconds that the store may take: a call that waits for it must still have time to run."""
        most = self._shared.store_seconds
        return most if spec is None else min(most, spec.timeout_ms / 2000)

    # Settle a decision

    async def settle(self, decided: Decided, message: Message | None = None) -> ToolResponse:
        """Exactly one envelope. If our own code fails behind the handler, what a write did is not known."""
        try:
            return await self._settle(decided, message)
        except Exception as error:
            call, decision = decided.call, decided.decision
            logger.error("the end of a call of %r could not be written: %s", call.name, where(error))
            logger.debug("the end of a call of %r could not be written", call.name, exc_info=error)
            wrote = isinstance(decision, Claimed) and decision.row.writes
            return refused(outcome_unknown(call.name) if wrote else _BROKEN, self._meta(call.name, call.id))

    async def _settle(self, decided: Decided, message: Message | None) -> ToolResponse:
        decision, call = decided.decision, decided.call
        if isinstance(decision, Claimed):
            return await self.run(decision, call.id, message)
        if isinstance(decision, Recorded):
            return self._recorded(decision.row, call.id)
        if isinstance(decision, Running):
            return await self._wait_for(decision.row, call.id)
        fault = decision.fault
        return refused(fault, self._meta(call.name, call.id))

    async def run(self, claimed: Claimed, call_id: str | None, message: Message | None = None) -> ToolResponse:
        """Run what was claimed. It goes on when the caller goes away, unless its tool may be stopped."""
        registry = self._session.registry
        tool = registry._tool(claimed.row.tool)
        shared = self._shared
        execution = Execution(
            tool,
            shared.check(registry, claimed.row.tool),
            shared.runner.store.clock,
            retries=shared.limits[self._session.mode].retries,
            turn_left_ms=self._turn_left(claimed),
        )
        work = self._run(claimed, call_id, execution, registry)
        if message is not None:
            message.runs(execution)
            return await work
        if not tool.spec.suspends and not shared.runner.store.durable:
            return await work
        task = shared.spawn(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if tool.spec.interruptible:
                execution.stop.set()
            raise

    def _turn_left(self, claimed: Claimed) -> float | None:
        budget = self._shared.limits[self._session.mode].turn_ms
        return None if budget is None else budget - claimed.turn.latency_ms

    async def _run(
        self, claimed: Claimed, call_id: str | None, execution: Execution, registry: Registry
    ) -> ToolResponse:
        row, shared = claimed.row, self._shared
        handle = call_id or row.key
        self._running[handle] = execution
        try:
            if handle in self._session.cancelled:
                execution.stop.set()
            args = claimed.prepared.args if claimed.prepared else msgspec.json.decode(row.args)
            context = self._context(claimed, registry)
            ran = await execution.run(args, context, row.attempt, row.args)
            response, ending = self._ending(claimed, call_id, ran, context, registry)
            finished = await self._finish(row, ending)
        finally:
            self._running.pop(handle, None)
            shared.leave((row.tool, self._session.id))
            waiter = shared.waiting.pop(self._place(row), None)
            if waiter is not None and not waiter.done():
                waiter.set_result(None)
        if ran.late is not None:
            shared.spawn(self._late(claimed, call_id, ran, context, registry))
        if finished is None:
            return response
        if finished.session is not None:
            self._session.saw(finished.session)
        if finished.stale and row.writes:
            return self._recorded(finished.row, call_id)
        return response

    def _context(self, claimed: Claimed, registry: Registry) -> CallContext:
        row = claimed.row
        parent = Parent(row.call_id or row.key, row.depth + 1, row.untrusted)

        async def call_tool(name: str, args: Mapping[str, Any]) -> ToolResponse:
            child = ToolCall(name=name, args=args)
            [answer] = await self.answer([child], provider="", parent=parent)
            return with_plain_data(answer)

        timeout_ms = registry._tool(row.tool).spec.timeout_ms
        return CallContext(
            row,
            claimed.session,
            claimed.turn,
            self._shared,
            self._session.channel,
            call_tool,
            timeout_ms,
            claimed.voice_active,
        )

    def _ending(
        self, claimed: Claimed, call_id: str | None, ran: Ran, context: CallContext, registry: Registry
    ) -> tuple[ToolResponse, Ending]:
        row, spec = claimed.row, registry._tool(claimed.row.tool).spec
        slow = self._slow(claimed, ran, spec)
        notices = (*(claimed.prepared.notices if claimed.prepared else ()), *slow.values())
        meta = meta_of(
            tool=spec,
            name=row.tool,
            registry=row.registry,
            call_id=call_id,
            turn=row.turn,
            now=self._shared.runner.store.clock.moment(),
            duration_ms=ran.duration_ms,
            attempt=ran.attempts,
            result=ran.result,
            clamped=claimed.prepared.clamped if claimed.prepared else None,
            defaulted=claimed.prepared.defaulted if claimed.prepared else (),
            parent=row.parent,
        )
        response = answered(ran.result, meta, notices)
        ending = Ending(
            response=response,
            state=ran.state,
            args=redacted_args(spec, row.args),
            answer=_redacted_answer(_redacting(spec, ran.result, registry), response),
            duration_ms=ran.duration_ms,
            attempt=ran.attempts,
            intents=ran.result.intents,
            untrusted=spec.untrusted and ran.result.ok,
            handed_over=context.handed_over,
            records=ran.result.records,
            logged=context.logged(),
            over_budget=tuple(slow),
        )
        return response, ending

    def _slow(self, claimed: Claimed, ran: Ran, spec: ToolSpec) -> dict[str, str]:
        """The soft budgets that were passed, for the audit, and what the model is told of each."""
        limits, took, turn = self._shared.limits[self._session.mode], ran.duration_ms, claimed.turn
        slow = {}
        if took > spec.latency_budget_ms:
            slow[TOOL_SLOW] = f"This took {took:.0f} ms, longer than it should."
        if spec.category is Category.RETRIEVAL and took > limits.retrieval_ms:
            slow[LOOK_UP_SLOW] = f"A look-up should take at most {limits.retrieval_ms:g} ms here; this took {took:.0f}."
        if limits.turn_ms is not None and turn.latency_ms > limits.turn_ms and not turn.warned:
            slow[TURN_SLOW] = "This turn's calls have taken long; answer now rather than calling more tools."
        return slow

    async def _finish(self, row: CallRow, ending: Ending) -> Finished | None:
        """None when the store cannot be reached in time; it is tried on, and nobody has to wait for that."""
        shared = self._shared
        keep, spec = shared.retention.reads, self._session.registry._specs.get(row.tool)

        def operation(tx: Tx) -> Finished:
            return finish(tx, row, ending, keep, shared.record)

        try:
            return await shared.runner.run(operation, lasting=row.writes, timeout=self._patience(spec))
        except StoreUnavailable:
            shared.degraded = True
            shared.spawn(self._until_written(row, operation))
            return None

    async def _until_written(self, row: CallRow, operation: Callable[[Tx], Any]) -> None:
        """Try until the store takes it or the call's lease has lapsed: from then on the row is recovery's."""
        shared, loop = self._shared, asyncio.get_running_loop()
        deadline, pause = loop.time() + row.lease_ms / 1000, 0.05
        while loop.time() < deadline:
            await asyncio.sleep(pause)
            pause = min(1.0, pause * 2)
            with suppress(StoreUnavailable):
                await shared.runner.run(operation, lasting=row.writes, timeout=shared.store_seconds)
                shared.degraded = False
                return

    async def _late(
        self, claimed: Claimed, call_id: str | None, ran: Ran, context: CallContext, registry: Registry
    ) -> None:
        """A handler that nobody waits for has ended. If it writes, the same row, under the same fence, learns how."""
        if ran.late is None:
            return
        try:
            await asyncio.wait([ran.late])
        except asyncio.CancelledError:
            ran.late.cancel()
            raise
        if ran.late.cancelled() or not claimed.row.writes:
            return
        tool = registry._tool(claimed.row.tool)
        result = judge(tool, self._shared.check(registry, claimed.row.tool), ran.late.result(), context)
        state = state_of(tool.spec, Attempt(How.RETURNED, result))
        late = Ran(Result(result.ok, result.data, result.fault), state, ran.duration_ms, ran.attempts)
        _, ending = self._ending(claimed, call_id, late, context, registry)
        await self._finish(claimed.row, ending)

    # Repeats

    def _recorded(self, row: CallRow, call_id: str | None) -> ToolResponse:
        if row.state is CallState.UNKNOWN or not row.envelope:
            return refused(outcome_unknown(row.tool), self._meta(row.tool, call_id, deduplicated=row.turn))
        return recorded(row, call_id, self._session.turn)

    async def _wait_for(self, row: CallRow, call_id: str | None) -> ToolResponse:
        """Until the call that runs now has its answer, here or in another process; at most as long as it may take."""
        shared, place = self._shared, self._place(row)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + row.lease_ms / 1000
        pause = 0.002
        while loop.time() < deadline:
            waiter = shared.waiting.get(place)
            if waiter is not None:
                await asyncio.wait([waiter], timeout=deadline - loop.time())
            else:
                await asyncio.sleep(pause)
                pause = min(0.05, pause * 1.5)
            try:
                now = await shared.runner.run(
                    lambda tx: tx.get(CALLS, place), lasting=False, timeout=shared.store_seconds
                )
            except StoreUnavailable:
                break
            if now is None or now.state is CallState.RELEASED:
                break
            if now.state is not CallState.STARTED:
                return self._recorded(now, call_id)
        return refused(_STILL_RUNNING, self._meta(row.tool, call_id))

    # Cancellation

    def cancel(self, call_ids: Sequence[str] | None) -> None:
        for handle, execution in self._running.items():
            if call_ids is None or handle in call_ids:
                execution.stop.set()

    # Small things

    def _place(self, row: CallRow) -> str:
        return below(scope_of(row.user, row.conversation), row.key)

    def _meta(self, name: str, call_id: str | None, *, deduplicated: int | None = None) -> Any:
        registry = self._session.registry
        spec = registry._tool(name).spec if name in registry else None
        meta = meta_of(
            tool=spec,
            name=name if isinstance(name, str) else "",
            registry=registry.version,
            call_id=call_id,
            turn=self._session.turn,
            now=self._shared.runner.store.clock.moment(),
        )
        if deduplicated is None:
            return meta
        return msgspec.structs.replace(meta, deduplicated=True, original_turn=deduplicated)


def redacted_args(spec: ToolSpec, args: bytes) -> bytes:
    return msgspec.json.encode(redact(msgspec.json.decode(args), spec.redact, "args")) if spec.redact else args


def _redacting(spec: ToolSpec, result: Result, registry: Registry) -> tuple[str, ...]:
    """The paths of the tool, and of the child whose answer it passes on."""
    child = registry._specs.get(result.passed_on)
    return (*spec.redact, *child.redact) if child else tuple(spec.redact)


def _redacted_answer(paths: tuple[str, ...], response: ToolResponse) -> bytes:
    if paths and isinstance(response.data, msgspec.Raw):
        data = redact(msgspec.json.decode(response.data), paths, "data")
        response = msgspec.structs.replace(response, data=data)
    return msgspec.json.encode(response)


__all__ = ["Fault", "Parent", "Pipeline", "Waiting"]

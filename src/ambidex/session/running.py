"""Run a call that was claimed, and see its end written. It goes on when the caller goes away."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from ambidex.contracts.call import ToolCall
from ambidex.contracts.response import ToolResponse
from ambidex.execution.attempt import Attempt, How, judge
from ambidex.execution.engine import Execution, Made, Ran, state_of
from ambidex.execution.results import Result
from ambidex.ledger.finish import Ending
from ambidex.ledger.rows import CallRow
from ambidex.ledger.spaces import place_of
from ambidex.policy.decide import Claimed
from ambidex.registry.tool import Tool
from ambidex.session.asked import Parent
from ambidex.session.context import CallContext, Channel
from ambidex.session.ending import ending_of
from ambidex.session.envelope import with_plain_data
from ambidex.session.message import Message
from ambidex.session.repeating import recorded_answer
from ambidex.session.shared import Shared
from ambidex.session.writing import write_end

if TYPE_CHECKING:
    from ambidex.session.session import Session


class AnswerChild(Protocol):
    """The pipeline itself: a tool that calls a tool takes the same way as a model."""

    async def __call__(self, calls: list[ToolCall], *, provider: str, parent: Parent) -> list[ToolResponse]: ...


@dataclass(frozen=True, slots=True)
class FirstAttempt:
    """Of a call that began on the express lane, with the context that its handler was given."""

    made: Made
    context: CallContext


class Runner:
    """What runs for one session object, and how to stop it."""

    __slots__ = ("_answer", "_running", "_session", "_shared")

    def __init__(self, session: Session, shared: Shared, answer: AnswerChild) -> None:
        self._session = session
        self._shared = shared
        self._answer = answer
        self._running: dict[str, Execution] = {}

    async def run(self, claimed: Claimed, call_id: str | None, message: Message | None = None) -> ToolResponse:
        shared = self._shared
        tool = self._session.registry._tool(claimed.row.tool)
        execution = self._execution(claimed, tool)
        work = self._run(claimed, call_id, execution, tool)
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

    async def go_on(self, claimed: Claimed, call_id: str | None, begun: FirstAttempt) -> ToolResponse:
        """A call whose first attempt was made on the express lane."""
        tool = self._session.registry._tool(claimed.row.tool)
        return await self._run(claimed, call_id, self._execution(claimed, tool), tool, begun)

    def _execution(self, claimed: Claimed, tool: Tool) -> Execution:
        shared, session = self._shared, self._session
        return Execution(
            tool,
            shared.check(session.registry, claimed.row.tool),
            shared.runner.store.clock,
            retries=shared.limits[session.mode].retries,
            turn_left_ms=self._turn_left(claimed),
        )

    def cancel(self, call_ids: Any) -> None:
        """Stop these, or everything for None, as far as each tool lets itself be stopped."""
        for handle, execution in self._running.items():
            if call_ids is None or handle in call_ids:
                execution.stop.set()

    def _turn_left(self, claimed: Claimed) -> float | None:
        budget = self._shared.limits[self._session.mode].turn_ms
        return None if budget is None else budget - claimed.turn.latency_ms

    async def _run(
        self,
        claimed: Claimed,
        call_id: str | None,
        execution: Execution,
        tool: Tool,
        begun: FirstAttempt | None = None,
    ) -> ToolResponse:
        row, shared, session = claimed.row, self._shared, self._session
        handle = call_id or row.key
        self._running[handle] = execution
        try:
            if handle in session.cancelled:
                execution.stop.set()
            args = claimed.prepared.args if claimed.prepared else msgspec.json.decode(row.args)
            context = begun.context if begun else self._context(claimed, tool)
            ran = await execution.run(args, context, row.attempt, row.args, begun.made if begun else None)
            response, ending = self._ending(claimed, call_id, ran, context)
            finished = await write_end(shared, row, tool.spec, ending)
        finally:
            self._running.pop(handle, None)
            shared.leave((row.tool, session.id))
            waiter = shared.waiting.pop(place_of(row), None)
            if waiter is not None and not waiter.done():
                waiter.set_result(None)
        if ran.late is not None:
            shared.spawn(self._late(claimed, call_id, ran, context, tool))
        if finished is None:
            return response
        if finished.session is not None:
            session.saw(finished.session)
        if finished.stale and row.writes:
            return recorded_answer(session, finished.row, call_id)
        return response

    def _context(self, claimed: Claimed, tool: Tool) -> CallContext:
        speaking = claimed.voice_active
        return CallContext(claimed.row, claimed.session, claimed.turn, self._shared, self, tool.spec, speaking)

    # What a running call sees of its session

    @property
    def channel(self) -> Channel | None:
        return self._session.channel

    @property
    def voice_active(self) -> bool:
        express = self._shared.express
        return express is not None and express.is_speaking(self._session)

    async def call_child(self, parent: CallRow, name: str, args: Mapping[str, Any]) -> ToolResponse:
        above = Parent(parent.call_id or parent.key, parent.depth + 1, parent.untrusted)
        [answer] = await self._answer([ToolCall(name=name, args=args)], provider="", parent=above)
        return with_plain_data(answer)

    def _ending(
        self, claimed: Claimed, call_id: str | None, ran: Ran, context: CallContext
    ) -> tuple[ToolResponse, Ending]:
        limits, now = self._shared.limits[self._session.mode], self._shared.runner.store.clock.moment()
        return ending_of(claimed, call_id, ran, context, self._session.registry, limits, now)

    async def _late(self, claimed: Claimed, call_id: str | None, ran: Ran, context: CallContext, tool: Tool) -> None:
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
        check = self._shared.check(self._session.registry, claimed.row.tool)
        result = judge(tool, check, ran.late.result(), context)
        state = state_of(tool.spec, Attempt(How.RETURNED, result))
        late = Ran(Result(result.ok, result.data, result.fault), state, ran.duration_ms, ran.attempts)
        _, ending = self._ending(claimed, call_id, late, context)
        await write_end(self._shared, claimed.row, tool.spec, ending)

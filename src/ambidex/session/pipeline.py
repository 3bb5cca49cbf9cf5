"""Calls of one session, from the model to the answer: decide, run, finish. One path for every entry.

Deciding is in `deciding.py` (and `policy/`), running in `running.py` (and `execution/`), repeats in `repeating.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ambidex.contracts.call import ToolCall
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ToolResponse
from ambidex.execution.attempt import outcome_unknown
from ambidex.execution.engine import Made
from ambidex.execution.where import where
from ambidex.policy.decide import Claimed, Decision, Recorded, Refused, Running
from ambidex.policy.refusing import refusal
from ambidex.session.asked import Parent, tidy
from ambidex.session.deciding import decision_on
from ambidex.session.envelope import encode, refused
from ambidex.session.express import Begun
from ambidex.session.message import Message
from ambidex.session.repeating import answer_of_running, recorded_answer
from ambidex.session.running import FirstAttempt, Runner
from ambidex.session.shared import Shared

if TYPE_CHECKING:
    from ambidex.session.session import Session

logger = logging.getLogger("ambidex.session")
_decode = msgspec.json.Decoder(ToolResponse).decode
_BROKEN = refusal(
    ErrorType.INTERNAL,
    "the call could not be handled; this is a fault of the system, not of the call",
    suggestion="Go on without it, and tell the user that it did not work.",
)
_NOBODY_WAITS = refusal(ErrorType.CANCELLED, "whoever asked went away before this call began")


class Decided(msgspec.Struct, frozen=True):
    call: ToolCall
    decision: Decision


class Pipeline:
    """One for each session object; holds nothing that must last."""

    __slots__ = ("_session", "_shared", "runner")

    def __init__(self, session: Session, shared: Shared) -> None:
        self._session = session
        self._shared = shared
        self.runner = Runner(session, shared, self.answer)

    async def answer(
        self, calls: Sequence[ToolCall], *, provider: str, parent: Parent | None = None
    ) -> list[ToolResponse]:
        """One model message: all gates climb first, in the order asked; then reads together, writes alone, in order."""
        if len(calls) == 1 and parent is None and (answer := await self._one(calls[0], provider)) is not None:
            return [answer]
        return await self._by_the_ladder(calls, provider, parent)

    async def _by_the_ladder(
        self, calls: Sequence[ToolCall], provider: str, parent: Parent | None
    ) -> list[ToolResponse]:
        calls = [tidy(call) for call in calls]
        if len(calls) == 1 and not self._shared.runner.store.durable:
            # Decided on the spot: nobody can go away between the claim and the run.
            return [await self.settle(await self._decide(calls[0], provider, parent, 0))]
        message = Message()
        task = self._shared.spawn(self._answer(calls, provider, parent, message))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            message.leave()
            raise

    async def answer_json(
        self, name: str, args: str | bytes | Mapping[str, Any], call_id: str | None, provider: str
    ) -> bytes:
        """One call; the bytes of its envelope."""
        express = self._shared.express
        begun = express.answer(self._session, name, args, call_id, provider) if express else None
        if type(begun) is bytes:
            return begun
        call = ToolCall(name=name, args=args, id=call_id)
        if isinstance(begun, Begun):
            return encode(await self._go_on(call, begun))
        return encode((await self._by_the_ladder([call], provider, None))[0])

    async def _one(self, call: ToolCall, provider: str) -> ToolResponse | None:
        """On the express lane, or None."""
        express = self._shared.express
        begun = express.answer(self._session, call.name, call.args, call.id, provider) if express else None
        if begun is None:
            return None
        return _decode(begun) if isinstance(begun, bytes) else await self._go_on(call, begun)

    async def _go_on(self, call: ToolCall, begun: Begun) -> ToolResponse:
        """A call that turned out to be out of the ordinary takes the long way from here."""
        try:
            claimed = self._shared.express.hand_over(self._session, begun)  # type: ignore[union-attr]
            first = FirstAttempt(Made(begun.attempt, begun.spent_ms), begun.context)
            return await self.runner.go_on(claimed, call.id, first)
        except Exception as error:
            _tell("ended, and that could not be written", call, error)
            return refused(_BROKEN, self._session.meta(call.name, call.id))

    async def _answer(
        self, calls: Sequence[ToolCall], provider: str, parent: Parent | None, message: Message
    ) -> list[ToolResponse]:
        decided, ahead_ms = [], 0
        for call in calls:
            if message.gone:
                decided.append(Decided(call, Refused(_NOBODY_WAITS, "caller_is_there")))
                continue
            one = await self._decide(call, provider, parent, ahead_ms)
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

    async def _decide(self, call: ToolCall, provider: str, parent: Parent | None, ahead_ms: int) -> Decided:
        """Whatever goes wrong in here, the call is answered, and it has not run."""
        try:
            decision = await decision_on(
                self._session, self._shared, call, provider=provider, parent=parent, ahead_ms=ahead_ms
            )
        except Exception as error:
            _tell("could not be decided", call, error)
            decision = Refused(_BROKEN, "pipeline_works")
        return Decided(call, decision)

    async def settle(self, decided: Decided, message: Message | None = None) -> ToolResponse:
        """Exactly one envelope. If our own code fails behind the handler, what a write did is not known."""
        call, decision = decided.call, decided.decision
        try:
            return await self._settle(call, decision, message)
        except Exception as error:
            _tell("ended, and that could not be written", call, error)
            wrote = isinstance(decision, Claimed) and decision.row.writes
            return refused(outcome_unknown(call.name) if wrote else _BROKEN, self._session.meta(call.name, call.id))

    async def _settle(self, call: ToolCall, decision: Decision, message: Message | None) -> ToolResponse:
        if isinstance(decision, Claimed):
            return await self.runner.run(decision, call.id, message)
        if isinstance(decision, Recorded):
            return recorded_answer(self._session, decision.row, call.id)
        if isinstance(decision, Running):
            return await answer_of_running(self._session, self._shared, decision.row, call.id)
        return refused(decision.fault, self._session.meta(call.name, call.id))


def _tell(what: str, call: ToolCall, error: Exception) -> None:
    logger.error("a call of %r %s: %s", call.name, what, where(error))
    logger.debug("a call of %r %s", call.name, what, exc_info=error)

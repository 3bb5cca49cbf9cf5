"""A claimed call, run to its one ending: attempts, waits between them, one deadline over all of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from ambidex.contracts.call import Downstream
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.spec import ToolSpec
from ambidex.execution.attempt import Attempt, How, dropped, outcome_unknown, run_inline, run_task
from ambidex.execution.flight import until
from ambidex.execution.results import Result, ResultCheck
from ambidex.execution.retry import Patience, wait_before_retry
from ambidex.execution.stop import Stop
from ambidex.ledger.rows import CallState
from ambidex.registry.tool import Tool
from ambidex.stores.clock import Clock

_FOR_EVER = 86_400.0
"""Longer than any call may take: the pause ends by itself."""


class Ran(msgspec.Struct, frozen=True):
    """How an execution ended."""

    result: Result
    state: CallState
    duration_ms: float
    attempts: int
    late: asyncio.Task[Any] | None = None
    """The handler, where it goes on although nobody waits for it any more; a write's end then settles the row."""


class Made(msgspec.Struct, frozen=True):
    """A first attempt that was made already, and what it took."""

    attempt: Attempt
    spent_ms: float


class Execution:
    """One call on its way. `stop` is how a barge-in or a provider's cancellation reaches it."""

    __slots__ = ("_check", "_clock", "_retries", "_tool", "_turn_left_ms", "stop")

    def __init__(
        self, tool: Tool, check: ResultCheck, clock: Clock, *, retries: int, turn_left_ms: float | None
    ) -> None:
        self._tool = tool
        self._check = check
        self._clock = clock
        self._retries = retries
        self._turn_left_ms = turn_left_ms
        self.stop = Stop()

    async def run(
        self,
        args: Mapping[str, Any],
        context: Any,
        first_attempt: int = 1,
        canonical: bytes | None = None,
        made: Made | None = None,
    ) -> Ran:
        """`canonical` is `args` as JSON text: a further attempt gets a fresh copy, for a handler may change its own."""
        spec = self._tool.spec
        start, attempts, slept_ms = time.perf_counter(), 0, made.spent_ms if made else 0.0
        if self._stopped and made is None:
            return self._ran(dropped(self._tool), 0.0, first_attempt)
        while True:
            attempts += 1
            spent = (time.perf_counter() - start) * 1000 + slept_ms
            if made is not None:
                attempt, made = made.attempt, None
            else:
                attempt = await self._once(args, context, (spec.timeout_ms - spent) / 1000)
            spent = (time.perf_counter() - start) * 1000 + slept_ms
            wait = self._wait(attempt, attempts, spent)
            if wait is None:
                return self._ran(attempt, spent, first_attempt + attempts - 1)
            before = time.perf_counter()
            await self._pause(wait / 1000)
            # A clock that does not really sleep (a test's) must still use up the call's time.
            slept_ms += max(0.0, wait - (time.perf_counter() - before) * 1000)
            if self._stopped:
                return self._ran(dropped(self._tool), spent + wait, first_attempt + attempts - 1)
            if canonical is not None:
                args = msgspec.json.decode(canonical)

    @property
    def _stopped(self) -> bool:
        return self.stop.is_set() and self._tool.spec.interruptible

    async def _pause(self, seconds: float) -> None:
        """Until the next attempt is due, or the call is stopped."""
        sleeping = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            with until(sleeping, _FOR_EVER, self.stop if self._tool.spec.interruptible else None) as waiter:
                await waiter
        finally:
            sleeping.cancel()

    async def _once(self, args: Mapping[str, Any], context: Any, seconds: float) -> Attempt:
        if not self._tool.spec.suspends:
            return run_inline(self._tool, self._check, args, context)
        stop = self.stop if self._tool.spec.interruptible else None
        return await run_task(self._tool, self._check, args, context, seconds, stop)

    def _wait(self, attempt: Attempt, attempts: int, spent_ms: float) -> float | None:
        fault = attempt.result.fault
        if fault is None or attempt.how is not How.RETURNED:
            return None
        left = self._turn_left_ms - spent_ms if self._turn_left_ms is not None else None
        patience = Patience(self._retries, self._tool.spec.timeout_ms - spent_ms, left)
        return wait_before_retry(self._tool.spec, fault, attempts, patience)

    def _ran(self, attempt: Attempt, spent_ms: float, attempts: int) -> Ran:
        spec = self._tool.spec
        result, state = attempt.result, state_of(spec, attempt)
        if state is CallState.UNKNOWN:
            result = Result(False, fault=outcome_unknown(spec.tool_id))
        return Ran(result, state, spent_ms, attempts, attempt.task)


def state_of(spec: ToolSpec, attempt: Attempt) -> CallState:
    """What the row becomes: an outcome, free to be asked again, or in doubt."""
    writes, fault = spec.side_effects == "writes", attempt.result.fault
    if attempt.how is How.DROPPED:
        return CallState.RELEASED
    if attempt.how is How.TIMED_OUT:
        return CallState.UNKNOWN if writes else CallState.RELEASED
    if attempt.how is How.CANCELLED:
        return CallState.UNKNOWN if writes and spec.downstream is Downstream.NONE else CallState.RELEASED
    if fault is not None and fault.retryable and not fault.partial_side_effects:
        return CallState.RELEASED
    if fault is not None and fault.type is ErrorType.UNAVAILABLE:
        return CallState.RELEASED  # policy kept the handler from working: nothing happened
    return CallState.DONE

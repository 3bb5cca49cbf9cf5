"""One attempt: run a handler, and stop waiting for it in time. Exceptions become outcomes here and nowhere else."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import msgspec

from ambidex.contracts.faults import HANDLER_TYPES, ErrorType
from ambidex.contracts.response import Fault
from ambidex.errors import AmbidexError, CapabilityError, HandlerError, ToolError
from ambidex.execution.flight import until
from ambidex.execution.results import BadResult, Result, ResultCheck, as_it_is, internal
from ambidex.execution.stop import Stop
from ambidex.execution.where import where
from ambidex.registry.tool import Tool

logger = logging.getLogger("ambidex.execution")
_BLOCKING_SECONDS = 0.25


class How(StrEnum):
    RETURNED = "returned"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    DROPPED = "dropped"
    """Taken back before an attempt began."""


class Attempt(msgspec.Struct, frozen=True, gc=False):
    how: How
    result: Result
    task: asyncio.Task[Any] | None = None
    """Nobody waits for it any more: a write whose time is up, or a handler that was told to stop and has yet to."""
    took: float = 0.0
    """Seconds, of a handler that ran inline."""


_RETURNED = How.RETURNED
"""An enumeration's attribute costs as much as a call."""


class _Crash:
    """What a handler raised, carried as a value: an exception that leaves a task may stop the whole loop."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


def run_inline(tool: Tool, check: ResultCheck, args: Mapping[str, Any], context: Any) -> Attempt:
    """For a handler that cannot suspend: no task, no deadline but the one that is looked at afterwards."""
    start = time.perf_counter()
    try:
        coroutine = tool.execute(MappingProxyType(args if type(args) is dict else dict(args)), context)
        try:
            coroutine.send(None)
        except StopIteration as done:
            value: Any = done.value
        else:
            coroutine.close()
            value = _Crash(RuntimeError("the handler suspended although the build saw no await in it"))
    except BaseException as error:  # a handler may raise anything, and the worker must live
        value = _Crash(error)
    took = time.perf_counter() - start
    if took > _BLOCKING_SECONDS:
        logger.warning("%s blocked the event loop for %.0f ms", tool.spec.tool_id, took * 1000)
    return Attempt(_RETURNED, judge(tool, check, value, context), None, took)


async def run_task(
    tool: Tool, check: ResultCheck, args: Mapping[str, Any], context: Any, seconds: float, stop: Stop | None
) -> Attempt:
    """In a task of its own, until it ends, its time is up, or `stop` is set (None: it may not be stopped)."""
    task = asyncio.create_task(_guarded(tool, args, context), name=tool.spec.tool_id)
    try:
        with until(task, seconds, stop) as waiter:
            await waiter
    except asyncio.CancelledError:
        # The process is about to stop; the call itself follows the rule of its tool.
        task.cancel() if tool.spec.interruptible else None
        raise
    if task.done():
        # A handler that cancels its own task has crashed; nobody else asked it to stop.
        value = _Crash(asyncio.CancelledError()) if task.cancelled() else task.result()
        return Attempt(How.RETURNED, judge(tool, check, value, context))
    writes = tool.spec.side_effects == "writes"
    how = How.CANCELLED if stop and stop.is_set() else How.TIMED_OUT
    if how is How.CANCELLED or not writes:
        task.cancel()
    return Attempt(how, _unfinished(tool, how), task)


def dropped(tool: Tool) -> Attempt:
    """A call that was taken back while no attempt of it was under way."""
    return Attempt(How.DROPPED, _unfinished(tool, How.DROPPED))


async def _guarded(tool: Tool, args: Mapping[str, Any], context: Any) -> Any:
    try:
        return await tool.execute(MappingProxyType(dict(args)), context)
    except asyncio.CancelledError as error:
        current = asyncio.current_task()
        if current is not None and current.cancelling():
            raise
        return _Crash(error)
    except BaseException as error:  # also SystemExit and KeyboardInterrupt, which would end the loop
        return _Crash(error)


def judge(tool: Tool, check: ResultCheck, value: Any, context: Any) -> Result:
    """One envelope, whatever the handler did. What a tool that it called answered, it may return as it is."""
    spec = tool.spec
    if type(value) is _Crash:
        return _crashed(tool, check, value.error, context)
    try:
        return as_it_is(value) if context.is_childs(value) else check.check(value)
    except BadResult as problem:
        logger.error("%s returned something that is no result: %s", spec.tool_id, problem)
    except BaseException as error:  # looking at a foreign object runs its code, which may raise anything
        logger.error("%s returned something that cannot be read: %s", spec.tool_id, where(error))
    return Result(False, fault=internal(spec))


def _crashed(tool: Tool, check: ResultCheck, error: BaseException, context: Any) -> Result:
    spec = tool.spec
    if isinstance(error, CapabilityError):
        return Result(False, fault=error.response.error)
    if isinstance(error, ToolError) and error.response.error is not None:
        if error.response.error.type in HANDLER_TYPES:
            return judge(tool, check, error.response, context)
        logger.error("%s raised %s, which only the pipeline may say", spec.tool_id, error.response.error.type)
        return Result(False, fault=internal(spec))
    if isinstance(error, HandlerError):
        logger.error("%s", error)
        return Result(False, fault=_gone(spec.tool_id))
    if isinstance(error, AmbidexError):
        logger.error("%s: %s", spec.tool_id, error)
    else:
        logger.error("%s crashed: %s", spec.tool_id, where(error))
        logger.debug("%s crashed", spec.tool_id, exc_info=error)
    return Result(False, fault=internal(spec))


def _gone(tool_id: str) -> Fault:
    """Its files no longer are what the session's registry was built from: nothing ran."""
    return Fault(
        type=ErrorType.UNAVAILABLE,
        message=f"{tool_id} of this session's registry can no longer be loaded; nothing was done",
        retryable=False,
        partial_side_effects=False,
        suggestion="Go on without it; a new session may have it again.",
    )


def _unfinished(tool: Tool, how: How) -> Result:
    spec = tool.spec
    writes = spec.side_effects == "writes"
    if how in (How.CANCELLED, How.DROPPED):
        fault = Fault(
            type=ErrorType.CANCELLED,
            message=f"{spec.tool_id} was stopped",
            retryable=False,
            partial_side_effects=writes and how is How.CANCELLED,
        )
    elif writes:
        fault = outcome_unknown(spec.tool_id)
    else:
        message = f"{spec.tool_id} took longer than {spec.timeout_ms:g} ms"
        fault = Fault(type=ErrorType.TRANSIENT, message=message, retryable=True, partial_side_effects=False)
    return Result(False, fault=fault)


def outcome_unknown(tool_id: str) -> Fault:
    return Fault(
        type=ErrorType.OUTCOME_UNKNOWN,
        message=f"{tool_id} was started and its end is not known: it may or may not have happened",
        retryable=False,
        partial_side_effects=True,
        suggestion="Say exactly that to the user. Do not say that it was done or that it failed, and do not repeat it.",
    )

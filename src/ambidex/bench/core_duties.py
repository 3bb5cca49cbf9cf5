"""Where a guarded call's time goes, on either way that it may take (`docs/pipeline.md`).

The steps of the express lane and the transactions of the long way are timed as they happen; what is done inside of
them, and can be done by itself, is timed by itself and taken off.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from ambidex.arguments.parse import Parsed, parse
from ambidex.arguments.prepare import Prepared
from ambidex.bench.core_calls import Refused, open_sessions
from ambidex.bench.core_folders import INLINE
from ambidex.bench.core_tool import good, text_of
from ambidex.contracts.call import Mode, ToolCall
from ambidex.execution.results import Result, ResultCheck
from ambidex.orchestrator import Orchestrator
from ambidex.registry.registry import Registry
from ambidex.registry.tool import Tool
from ambidex.session.envelope import Success
from ambidex.session.express import Express
from ambidex.session.session import Session
from ambidex.session.shared import Shared
from ambidex.stores.base import Tx
from ambidex.stores.memory import MemoryStore

T = TypeVar("T")


async def duties(registry: Registry, number: int) -> dict[str, dict[str, float]]:
    """Microseconds of each duty, medians; `between` is what the whole takes beyond its parts."""
    return {"express": await _express(registry, number), "long": await _long(registry, number)}


# The express lane


class _TimedExpress(Express):
    """An express lane that notes how long its steps took."""

    __slots__ = ("claims", "ends", "runs")

    def __init__(self, shared: Shared, store: MemoryStore) -> None:
        super().__init__(shared, store)
        self.claims: list[float] = []
        self.runs: list[float] = []
        self.ends: list[float] = []

    def _claim(self, *asked: Any) -> Any:
        return _timed(self.claims, super()._claim, asked)

    def _run(self, *claimed: Any) -> Any:
        return _timed(self.runs, super()._run, claimed)

    def _finish(self, *ran: Any) -> Any:
        return _timed(self.ends, super()._finish, ran)


async def _express(registry: Registry, number: int) -> dict[str, float]:
    store = MemoryStore()
    async with Orchestrator(registry, store=store, config={}) as app:
        lane = app._shared.express = _TimedExpress(app._shared, store)
        [session] = await open_sessions(app, 1)
        whole = [await _called(session, place) for place in range(number)]
    if not lane.ends:
        raise Refused("no call took the express lane")
    claim, run, end = _micros(lane.claims), _micros(lane.runs), _micros(lane.ends)
    arguments, envelope = _inside(registry, number)
    shares = {
        "arguments": arguments,
        "claim": claim - arguments,
        "handle": run - end,
        "envelope": envelope,
        "end": end - envelope,
    }
    return _with_the_rest(shares, whole)


def _inside(registry: Registry, number: int) -> tuple[float, float]:
    """What is done inside of the claim and of the end: the arguments and the envelope."""
    tool, text = registry._tool(INLINE), text_of(good(0))
    prepared, success = tool.plan.quick(text, Mode.TEXT), Success(tool.spec, registry.version)
    assert isinstance(prepared, Prepared)
    result, now = _handled(tool, ResultCheck(tool.spec), prepared.args), MemoryStore().clock.moment()
    return (
        _each(lambda: tool.plan.quick(text, Mode.TEXT), number),
        _each(lambda: success.encode(result, prepared, "c1", 1, 0.01, now), number),
    )


# The long way


class _TimedStore(MemoryStore):
    """A store in memory that notes how long each transaction took."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: list[float] = []

    def run(self, operation: Callable[[Tx], T], *, lasting: bool = True) -> T:
        start = time.perf_counter()
        try:
            return super().run(operation, lasting=lasting)
        finally:
            self.spans.append(time.perf_counter() - start)


async def _long(registry: Registry, number: int) -> dict[str, float]:
    """The same calls with the lane closed: as for a tool that has none."""
    store = _TimedStore()
    decided, finished, whole = [], [], []
    async with Orchestrator(registry, store=store, config={}) as app:
        app._shared.express = None
        [session] = await open_sessions(app, 1)
        for place in range(number):
            whole.append(await _called(session, place))
            _, decide, finish = store.spans[-3:]  # the first began the turn
            decided.append(decide)
            finished.append(finish)
        await session.begin_turn("measure")
        [answer] = await session.answer([ToolCall(name=INLINE, args=good(number))])
    tool, text = registry._tool(INLINE), text_of(good(0))
    check, parsed = ResultCheck(tool.spec), parse(text)
    assert isinstance(parsed, Parsed)
    envelope = msgspec.structs.replace(answer, data=_handled(tool, check, parsed.args).data)
    shares = {
        "parse": _each(lambda: parse(text), number),
        "validate": _each(lambda: tool.plan.settle(parsed, Mode.TEXT), number),
        "decide": _micros(decided),
        "handle": _each(lambda: _handled(tool, check, parsed.args), number),
        "finish": _micros(finished),
        "encode": _each(lambda: msgspec.json.encode(envelope), number),
    }
    return _with_the_rest(shares, whole)


# Both


async def _called(session: Session, place: int) -> float:
    """Seconds of one call, the first of a turn."""
    await session.begin_turn("measure")
    text, id = text_of(good(place)), f"c{place}"
    start = time.perf_counter()
    await session.answer_json(INLINE, text, id=id)
    return time.perf_counter() - start


def _handled(tool: Tool, check: ResultCheck, args: dict[str, Any]) -> Result:
    """The handler's answer, checked."""
    coroutine = tool.execute(args, None)
    try:
        coroutine.send(None)
    except StopIteration as done:
        return check.check(done.value)
    raise Refused(f"{INLINE} has suspended")


def _with_the_rest(shares: dict[str, float], whole: Sequence[float]) -> dict[str, float]:
    return shares | {"between": max(0.0, _micros(whole) - sum(shares.values()))}


def _timed(spans: list[float], step: Callable[..., T], given: tuple[Any, ...]) -> T:
    start = time.perf_counter()
    try:
        return step(*given)
    finally:
        spans.append(time.perf_counter() - start)


def _each(duty: Callable[[], object], number: int) -> float:
    duty()
    seconds = []
    for _ in range(number):
        start = time.perf_counter()
        duty()
        seconds.append(time.perf_counter() - start)
    return _micros(seconds)


def _micros(seconds: Sequence[float]) -> float:
    return statistics.median(seconds) * 1e6

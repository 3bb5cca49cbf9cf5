"""Where a guarded call's time goes. The two transactions are timed as they happen, the other duties by themselves."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from ambidex.arguments.parse import Parsed, parse
from ambidex.bench.core_calls import open_sessions
from ambidex.bench.core_folders import INLINE
from ambidex.bench.core_tool import good, text_of
from ambidex.contracts.call import Mode, ToolCall
from ambidex.contracts.response import ToolResponse
from ambidex.execution.results import ResultCheck
from ambidex.orchestrator import Orchestrator
from ambidex.registry.registry import Registry
from ambidex.stores.base import Tx
from ambidex.stores.memory import MemoryStore

T = TypeVar("T")


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


async def duties(registry: Registry, number: int) -> dict[str, float]:
    """Microseconds of each duty, medians; `between` is what the whole takes beyond its parts."""
    store = _TimedStore()
    decided, finished, whole = [], [], []
    async with Orchestrator(registry, store=store, config={}) as app:
        [session] = await open_sessions(app, 1)
        for place in range(number):
            await session.begin_turn("measure")
            store.spans.clear()
            start = time.perf_counter()
            await session.answer_json(INLINE, text_of(good(place)), id=f"c{place}")
            whole.append(time.perf_counter() - start)
            decided.append(store.spans[0])
            finished.append(store.spans[-1])
        await session.begin_turn("measure")
        [answer] = await session.answer([ToolCall(name=INLINE, args=good(number))])
    parts = _parts(registry, answer, number) | {"decide": _micros(decided), "finish": _micros(finished)}
    order = ("parse", "validate", "decide", "handle", "finish", "encode")
    shares = {duty: parts[duty] for duty in order}
    return shares | {"between": max(0.0, _micros(whole) - sum(shares.values()))}


def _parts(registry: Registry, answer: ToolResponse, number: int) -> dict[str, float]:
    tool = registry._tool(INLINE)
    check, text = ResultCheck(tool.spec), text_of(good(0))
    parsed = parse(text)
    assert isinstance(parsed, Parsed)

    def handle() -> Any:
        coroutine = tool.execute(parsed.args, None)
        try:
            coroutine.send(None)
        except StopIteration as done:
            return check.check(done.value)

    envelope = msgspec.structs.replace(answer, data=handle().data)
    return {
        "parse": _each(lambda: parse(text), number),
        "validate": _each(lambda: tool.plan.settle(parsed, Mode.TEXT), number),
        "handle": _each(handle, number),
        "encode": _each(lambda: msgspec.json.encode(envelope), number),
    }


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

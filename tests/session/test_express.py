"""The express lane and the long way are one pipeline: whatever a script does, nobody can tell which way it took."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.support.apps import ANN, Workshop
from tests.support.soak import soak
from tests.support.twins import Play, play

import ambidex
from ambidex import Orchestrator
from ambidex.audit.chain import LINES, WAITING, LateEvents, defer_late, settle
from ambidex.audit.events import EventKind
from ambidex.audit.line import decode
from ambidex.stores.memory import MemoryStore

LOOK = """\
from ambidex import ErrorType, fail, ok


async def execute(args, context):
    name = args["name"]
    if name == "crash":
        raise RuntimeError(name)
    if name == "fail":
        return fail(ErrorType.NOT_FOUND, "there is none")
    if name == "again":
        return fail(ErrorType.TRANSIENT, "not now", retryable=True)
    if name == "log":
        context.audit.log("looked", name=name)
    if name == "nothing":
        return ok()
    if name == "notice":
        return {"ok": True, "data": {"name": name}, "notices": ["take care"]}
    if name == "unsayable":
        return {"ok": True, "data": {"name": name}, "notices": ["\\ud800"]}
    if name == "nan":
        return ok({"score": float("nan")})
    if name == "big":
        return ok({"text": "x" * 300_000})
    if name == "degraded":
        return ok({"degraded": True, "records": [{"id": "r1"}]})
    if name == "spoils":
        args.get("fields", []).append(object())
    return ok({"results": [{"id": "person:1"}, {"id": context.tool}], "voice": context.voice.is_active(), **args})
"""
"""One of everything that a handler which cannot suspend may do."""
TICKS = """\
import time
from ambidex import ok


async def execute(args, context):
    until = time.perf_counter() + 0.0015
    while time.perf_counter() < until:
        pass
    context.time.advance(0.002)
    if args["name"] == "log":
        context.audit.log("ticked")
    return ok({"name": args["name"]})
"""
"""Takes longer than a tick of the clock, on the clock of the test as well."""
WAITS = """\
import asyncio
from ambidex import ok


async def execute(args, context):
    for _ in range(3):
        await asyncio.sleep(0)
    inner = await context.call_tool("sums", {"name": args["name"]}) if args["name"] == "b" else None
    return ok({"name": args["name"], "inner": inner.ok if inner else None})
"""
HANGS_UP = """\
from ambidex import ok


async def execute(args, context):
    return ok({"name": args["name"]}, intents=[{"type": args["name"], "value": True}] if "_" in args["name"] else [])
"""
PARAMETERS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 40},
        "k": {"type": "integer", "minimum": 0, "maximum": 50, "default": 5},
        "fields": {"type": "array", "items": {"enum": ["title", "text", "url"]}},
        "where": {"type": "object", "properties": {"exact": {"type": "boolean", "default": False}}},
    },
    "required": ["name"],
    "additionalProperties": False,
}
PATIENT = {"latencyBudgetMs": 60_000, "timeoutMs": 60_000}
"""Nothing is late because the machine was busy."""


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two versions of a registry with a tool of every kind."""
    shops = [Workshop(tmp_path_factory.mktemp(name)) for name in ("first", "second")]
    for version, shop in enumerate(shops, start=1):
        limits = {"voice": {"k": {"maximum": 3}, "fields": {"exclude": ["text"]}}}
        shop.reading(
            "look", handler=LOOK, parameters=PARAMETERS, modeLimits=limits, version=f"1.0.{version}", **PATIENT
        )
        shop.reading("web", handler=LOOK, untrusted=True, **PATIENT)
        shop.tool("sums", handler=LOOK, **PATIENT)
        shop.tool(
            "shaped",
            handler=LOOK,
            response={"type": "object", "properties": {"text": {"type": "string", "maxLength": 9}}},
            **PATIENT,
        )
        shop.tool("ticks", handler=TICKS, **PATIENT)
        shop.tool("slow", handler=TICKS, latencyBudgetMs=1, timeoutMs=60_000)
        shop.reading("waits", handler=WAITS, **PATIENT)
        shop.tool("hides", handler=LOOK, redact=["args.name"], **PATIENT)
        shop.tool("hushes", handler=HANGS_UP, intents=["SUPPRESS_AUDIO"], **PATIENT)
        shop.tool("quota", handler=LOOK, rateLimit={"calls": 2, "windowMs": 60_000}, **PATIENT)
        shop.writing("pay", handler=LOOK, **PATIENT)
        shop.gated("send", handler=LOOK, **PATIENT)
        shop.build()
    return shops[0].artifact, shops[1].artifact


TOOLS = ["look"] * 6 + ["web", "web", "sums", "sums", "shaped", "ticks", "slow", "waits", "hides", "hushes", "quota"]
TOOLS += ["pay", "send", "unknown"]
NAMES = ["a", "b", "c", "d"] * 3
NAMES += ["crash", "fail", "again", "log", "nothing", "notice", "unsayable", "nan", "big", "degraded", "spoils"]
NAMES += ["SUPPRESS_AUDIO", "é"]
IDS = st.sampled_from([None, None, "c1", "c2", "c3", "c4", "c5", "a/b#%", "é", "", "x" * 501, '"\\', 7])


@st.composite
def arguments(draw: st.DrawFn) -> Any:
    given: dict[str, Any] = {"name": draw(st.sampled_from(NAMES))}
    more: dict[str, Any] = draw(
        st.sampled_from([{}, {}, {}, {"k": 50}, {"k": 2}, {"fields": ["title", "text"]}, {"where": {}}])
    )
    text = json.dumps(given | more).encode()
    forms: list[Any] = [text] * 6
    forms += [text.decode(), given | more, b"{", b"[]", b'{"name":1}', text + b" "]
    return draw(st.sampled_from(forms))


CALLS = st.tuples(st.sampled_from(TOOLS), arguments(), IDS)
STEPS = st.one_of(
    *[CALLS.map(lambda call: ("call", *call))] * 8,
    st.tuples(
        st.just("call"), st.sampled_from(TOOLS), arguments(), IDS, st.sampled_from(["", "live"]), st.integers(0, 3)
    ),
    CALLS.map(lambda call: ("ask", *call)),
    st.lists(CALLS, max_size=3).map(lambda calls: ("message", calls)),
    st.lists(CALLS, max_size=3).map(lambda calls: ("together", calls)),
    st.integers(-1, 3).map(lambda who: ("turn", who)),
    st.just(("turn",)),
    CALLS.map(lambda call: ("explain", *call)),
    st.sampled_from(
        [("open", "text"), ("open", "voice"), ("other",), ("resume",), ("attach",), ("use", 0), ("use", 1)]
    ),
    st.sampled_from([("cancel", "c1"), ("block",), ("lift",), ("approve",), ("reject",), ("close",), ("prune",)]),
    st.sampled_from(
        [("metrics",), ("settle",), ("rows",), ("pass_time", 0.001), ("pass_time", 61), ("pass_time", 1e6)]
    ),
)
PHASES = [phase for phase in Phase if phase is not Phase.explain]
"""Explaining a difference would take longer than finding it."""
SCRIPTS = st.builds(
    lambda mode, steps: [("open", mode), ("turn",), *steps],
    st.sampled_from(["text", "text", "voice"]),
    st.lists(STEPS, min_size=8, max_size=30),
)


def look(name: str, id: Any = None, tool: str = "look", **more: Any) -> tuple[Any, ...]:
    return ("call", tool, json.dumps({"name": name, **more}).encode(), id)


OPEN = [("open", "text"), ("turn",)]
NAMED: dict[str, tuple[list[Any], int]] = {
    "plain calls": ([*OPEN, look("a", "c1"), look("b"), look("c", tool="sums"), look("d", "a/b#%", tool="web")], 4),
    "a message of one call": ([*OPEN, ("ask", "look", b'{"name":"a"}', "c1"), ("rows",)], 0),
    "defaults and clamps": (
        [("open", "voice"), ("turn",), look("a", k=50, fields=["text"], where={}), look("b", tool="sums")],
        2,
    ),
    "answers that are out of the ordinary": (
        [*OPEN, *(look(name) for name in ("nothing", "notice", "degraded", "log", "fail", "crash"))],
        3,
    ),
    "answers that cannot be sent": ([*OPEN, look("nan"), look("unsayable"), look("big"), ("settle",), look("a")], 0),
    "arguments that the handler spoils": ([("open", "voice"), ("turn",), look("spoils", fields=["text", "url"])], 0),
    "a failure that is tried again": ([*OPEN, look("again", "c1"), look("again", "c1")], 0),
    "ids that are used twice": ([*OPEN, look("a", "c1"), look("a", "c1"), look("b", "c1"), look("a", "c2")], 1),
    "a loop": ([*OPEN, *[look("a")] * 4], 1),
    "a loop under other ids": ([*OPEN, *(look("a", f"c{number}") for number in range(4)), look("b")], 2),
    "look-ups beyond the budget": ([*OPEN, *(look("n", k=number) for number in range(8))], 6),
    "calls beyond the budget": ([*OPEN, *(look(f"n{number}", tool="sums") for number in range(14))], 12),
    "more answers than are kept": (
        [
            *OPEN,
            *(look(name, name) for name in "abcde"),
            ("rows",),
            look("a", "a"),
            look("e", "e"),
            look("d", tool="sums"),
        ],
        6,
    ),
    "answers of earlier rows that go": ([*OPEN, *(look(n, n) for n in "abc"), ("rows",), look("d"), look("e")], 4),
    "refusals that end the turn": (
        [*OPEN, look("a"), *[("call", "look", b"{", None)] * 3, look("b"), ("call", "look", b"{", None), look("c")],
        2,
    ),
    "a write after outsiders' text": (
        [*OPEN, look("a", tool="web"), look("b", tool="sums"), look("c", tool="pay"), ("approve",)],
        2,
    ),
    "outsiders' text for a turn that is over": (
        [*OPEN, ("open", "text"), ("turn",), (*look("a", tool="web"), "api", 0), look("b", tool="pay")],
        0,
    ),
    "a cancelled id": ([*OPEN, ("cancel", "c1"), look("a", "c1"), look("b", "c2"), ("turn",), look("c", "c1")], 1),
    "a blocked user": (
        [*OPEN, look("a"), ("block",), look("b"), ("lift",), look("c"), ("block",), ("pass_time", 61), look("d")],
        1,
    ),
    "a session that is resumed": (
        [*OPEN, look("a", "c1"), ("resume",), look("a", "c1"), look("a"), look("b"), (*look("c"), "api", 0)],
        1,
    ),
    "a session that has ended": ([*OPEN, look("a"), ("close",), look("b")], 1),
    "two objects of one session": (
        [*OPEN, ("attach",), ("turn", 0), look("a"), look("SUPPRESS_AUDIO", tool="hushes"), (*look("b"), "api", 0)],
        2,
    ),
    "another registry": ([*OPEN, look("a"), ("use", 1), look("b"), ("open", "text"), ("turn",), look("c")], 2),
    "the same registry loaded anew": (
        [*OPEN, look("a"), ("use", 0), look("b"), ("open", "text"), ("turn",), look("c"), ("metrics",)],
        2,
    ),
    "somebody looks in between": (
        [
            *OPEN,
            look("a"),
            ("rows",),
            look("b"),
            ("explain", "look", b'{"name":"c"}'),
            look("c"),
            ("metrics",),
            look("d"),
        ],
        3,
    ),
    "calls at the same time": (
        [*OPEN, ("together", [("waits", b'{"name":"b"}', "w"), ("look", b'{"name":"b"}', "l")]), look("c")],
        1,
    ),
    "time passes": (
        [
            *OPEN,
            look("a", tool="ticks"),
            look("log", tool="ticks"),
            look("b", tool="slow"),
            ("pass_time", 1),
            look("b"),
        ],
        2,
    ),
    "ids that nobody trusts": (
        [
            *OPEN,
            *(
                (*look(f"n{place}", id, tool="sums"), "")
                for place, id in enumerate(["c1", "é", "x" * 501, 7, "\ud800"])
            ),
        ],
        1,
    ),
    "tools without a lane": (
        [*OPEN, *(look("a", tool=tool) for tool in ("hides", "hushes", "quota", "pay", "send", "waits", "none"))],
        0,
    ),
    "everything is pruned": ([*OPEN, look("a", "c1"), ("pass_time", 1e6), ("prune",), look("a", "c1"), ("turn",)], 1),
    "before the first turn": ([("open", "text"), look("a")], 0),
}
"""What happens, and how many of its calls are answered without any transaction."""


async def equal_plays(artifacts: tuple[Path, Path], script: list[Any], **config: Any) -> Play:
    """The play that took the lane; the other one was the same."""
    with_lane = await play(artifacts, script, lane=True, **config)
    without = await play(artifacts, script, lane=False, **config)
    for (step, one), (_, other) in zip(with_lane.seen, without.seen, strict=True):
        assert one == other, step
    assert without.quick == 0
    return with_lane


@pytest.mark.parametrize("name", NAMED)
async def test_the_lane_ends_as_the_long_way_does(artifacts: tuple[Path, Path], name: str) -> None:
    script, quick = NAMED[name]
    assert (await equal_plays(artifacts, script)).quick == quick


async def test_a_turn_that_is_slow_is_told_so_on_either_way(artifacts: tuple[Path, Path]) -> None:
    script = [("open", "voice"), ("turn",), look("a", tool="slow"), look("b", tool="sums"), look("c", tool="sums")]
    played = await equal_plays(artifacts, script, **{"limits.voice.turn_ms": 1})
    assert "This turn's calls have taken long" in str(played.seen[3])


class Chaining(LateEvents):
    """A capability in whose use another thread begins to chain the audit, and is in the middle of it when it ends."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.inside, self.answered = Event(), Event()
        self.thread = Thread(target=store.run, args=(settle,))

    def advance(self, _: float) -> None:
        with self.store.lock:
            defer_late(self.store.shelf(WAITING), self, 0, self.store.clock.moment())
        self.thread.start()
        assert self.inside.wait(10)

    def dated(self) -> list[Any]:
        self.inside.set()
        self.answered.wait(0.1)
        return []


async def test_no_event_is_lost_while_another_thread_chains_them(artifacts: tuple[Path, Path]) -> None:
    store = MemoryStore()
    chaining = Chaining(store)
    async with Orchestrator(ambidex.load(artifacts[0]), store=store, config={}, capabilities={"time": chaining}) as app:
        session = await app.open(mode="text", user=ANN)
        await session.begin_turn("please")
        await session.answer_json("ticks", b'{"name":"a"}')
        chaining.answered.set()
        chaining.thread.join()
        store.run(settle)
        events = [decode(line).event for _, line in store.run(lambda tx: tx.scan(LINES))]
    assert events[-2:] == [EventKind.CALL_STARTED, EventKind.CALL_FINISHED]


@settings(max_examples=soak(60, 3000), deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=PHASES)
@given(script=SCRIPTS, environment=st.sampled_from(["development", "production"]))
async def test_no_script_tells_the_lane_from_the_long_way(
    artifacts: tuple[Path, Path], script: list[Any], environment: str
) -> None:
    await equal_plays(artifacts, script, environment=environment)

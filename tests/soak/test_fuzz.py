"""Fuzzed calls through a whole session: none raises, none hangs, each is answered by an envelope."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from tests.support.apps import ANN, BOB, Workshop, running
from tests.support.folders import GUIDE
from tests.support.soak import soak

from ambidex import ErrorType, Orchestrator, Registry, ToolCall, ToolResponse
from ambidex.contracts.envelope import envelope_problems
from ambidex.session.session import Session

PARTS = soak(1, 40)
"""Told apart, so that every core can take some and a long run shows how far it is."""
CALLS = soak(3_000, 10_000_000) // PARTS
EACH_APP = 5_000
"""A store in memory forgets nothing, so it is replaced now and then."""
MOST_SECONDS = 0.05

ENUM = {"type": "string", "enum": [f"word{number}" for number in range(40)]}
SHAPES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1, "maxLength": 200},
        "code": {"type": "string", "pattern": "^(a+)+$"},
        "top_k": {"type": "integer", "minimum": 1, "maximum": 10, "default": 5},
        "ratio": {"type": "number"},
        "at": {"type": "string", "format": "date-time"},
        "tags": {"anyOf": [{"type": "array", "items": ENUM}, {"type": "string"}]},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "note": {"type": "string", "default": "none"}},
                "required": ["id"],
                "additionalProperties": False,
            },
        },
        "unique": {"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "maxItems": 5000},
    },
    "required": ["query"],
    "additionalProperties": False,
}
VALID: dict[str, list[dict[str, Any]]] = {
    "shapes": [
        {"query": "who founded the studio?"},
        {"query": "é", "top_k": 3, "ratio": 0.5, "at": "2026-03-03T14:30:00Z", "code": "aaa"},
        {"query": "x", "tags": ["word1", "word2"], "items": [{"id": 1}, {"id": 2, "note": "y"}], "unique": [1, 2]},
        {"query": "y", "tags": "one"},
    ],
    "look": [{"name": "ann"}],
    "pay": [{"name": "bob"}],
    "send": [{"name": "eve"}],
}
NASTY: list[Any] = [
    None,
    True,
    0,
    -1,
    1.0,
    1e300,
    float("nan"),
    float("inf"),
    2**63,
    2**64,
    -(2**70),
    "",
    "\x00",
    "\ud800",
    "\u202e",
    "e\u0301" * 50,
    "a" * 300 + "!",
    "x" * 70_000,
    [],
    {},
    ["word1"] * 3000,
    [0] * 20_000,
    ["zzz"] * 10_000,
    [{}] * 5_000,
    [1e300] * 5_000,
    {"__class__": 1},
    {"deep": [[[[[[[]]]]]]]},
    {f"k{number}": number for number in range(3_000)},
    b"bytes",
    object(),
    (1, 2),
    {1, 2},
    {1: 2},
]
LOOP: dict[str, Any] = {"query": "x"}
LOOP["items"] = [LOOP]
NASTY.append(LOOP)
NAMES: list[Any] = ["shape", "SHAPES", "shapes\n", "", "x" * 100_000, "\ud800", "ѕhapes", None, 7, ["look"], {}]
IDS: list[Any] = ["c1", "c2", "", "x" * 5_000, "\ud800", "\n", 7, b"c1", ["c"], {}]
BYTES = [
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b":",
    b",",
    b"\\",
    b"\x00",
    b"\xff",
    b"NaN",
    b"1e999",
    b"null",
    b"\\ud800",
    b"0" * 30,
]


class Fuzzer:
    """Mutants of valid calls, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def call(self) -> ToolCall:
        pick = self._random
        name: Any = pick.choice(list(VALID))
        args: Any = json.loads(json.dumps(pick.choice(VALID[name])))
        kind = pick.random()
        if kind < 0.5:
            places = list(_places(args))
            for _ in range(pick.randrange(3)):
                self._spoil(*pick.choice(places))
        if kind < 0.3 or kind > 0.8:
            args = self._text(args)
        if 0.1 < kind < 0.15:
            args = pick.choice(NASTY)
        name = pick.choice(NAMES) if pick.random() < 0.1 else name
        id: Any = pick.choice(IDS) if pick.random() < 0.4 else None
        return ToolCall(name=name, args=args, id=id)

    def _spoil(self, holder: Any, step: Any) -> None:
        """One change at one place of the structure."""
        pick = self._random
        what = pick.randrange(4)
        if what == 0 and isinstance(holder, dict):
            holder.pop(step, None)
        elif what == 1 and isinstance(holder, dict):
            holder[pick.choice([str(step).upper(), "__proto__", "confirmed", "\x00", "", str(step) + "é"])] = 1
        else:
            holder[step] = pick.choice(NASTY)

    def _text(self, args: Any) -> str | bytes:
        pick = self._random
        try:
            text = json.dumps(args).encode("utf-8", "surrogatepass")
        except (TypeError, ValueError):
            text = b'{"query": "x"}'
        for _ in range(pick.randrange(4)):
            text = self._mutated(text)
        return text if pick.random() < 0.5 else text.decode("utf-8", "surrogateescape")

    def _mutated(self, text: bytes) -> bytes:
        pick = self._random
        at, end = sorted((pick.randrange(len(text) + 1), pick.randrange(len(text) + 1)))
        what = pick.randrange(6)
        if what == 0:
            return text[:at]
        if what == 1:
            return text[:at] + text[end:]
        if what == 2:
            return text[:end] + text[at:end] + text[end:]
        if what == 3:
            return text[:at] + bytes([pick.randrange(256)]) + text[at + 1 :]
        if what == 4:
            return text[:at] + pick.choice(BYTES) * pick.choice([1, 1, 2, 40, 2_000]) + text[at:]
        return text[:at] + pick.choice(BYTES) + text[at + 1 :]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        yield value, step
        yield from _places(item)


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    shop = Workshop(tmp_path_factory.mktemp("fuzz"))
    echo = "from ambidex import ok\n\nasync def execute(args, context):\n    return ok(dict(args))\n"
    guide = GUIDE.replace('{"name": "Ada"}', '{"query": "x"}')
    shop.reading(
        "shapes", handler=echo, parameters=SHAPES, guide=guide, modeLimits={"voice": {"top_k": {"maximum": 3}}}
    )
    shop.reading("look", handler=echo).writing("pay", handler=echo).gated("send", handler=echo)
    return shop.build()


def is_envelope(answer: ToolResponse) -> bool:
    """A quick look; every hundredth is checked against the published schema."""
    if answer.meta is None or answer.ok != (answer.error is None):
        return False
    fault = answer.error
    # No handler here ever fails, so an INTERNAL answer is a fault of ours.
    return fault is None or (fault.type is not ErrorType.INTERNAL and 0 < len(fault.message) <= 500)


async def timed(session: Session, call: ToolCall) -> tuple[ToolResponse, float]:
    """Time of this thread alone: how busy the machine is with others does not count."""
    began = time.thread_time()
    [answer] = await session.answer([call])
    return answer, time.thread_time() - began


async def fresh(app: Orchestrator, number: int) -> Session:
    session = await app.open(mode="voice" if number % 2 else "text", user=ANN if number % 3 else BOB)
    await session.begin_turn("please")
    return session


async def fuzz(registry: Registry, seed: int, count: int, kinds: Counter[str]) -> None:
    fuzzer = Fuzzer(seed)
    async with running(registry) as app:
        session = await fresh(app, 0)
        for number in range(count):
            if number % 40 == 39:
                session = await fresh(app, number)
            elif number % 3 == 2:
                await session.begin_turn("and")
            await asyncio.sleep(0)  # or the loop would seem blocked
            call = fuzzer.call()
            answer, seconds = await timed(session, call)
            assert is_envelope(answer), (seed, number, call.name, answer)
            encoded = msgspec.json.encode(answer)
            if number % 100 == 0:
                assert envelope_problems(json.loads(encoded)) == [], (seed, number)
            for _ in range(3):  # a pause of the collector is no fault of the call: it would not come three times
                if seconds <= MOST_SECONDS:
                    break
                _, seconds = await timed(await fresh(app, number), call)
            assert seconds <= MOST_SECONDS, (seed, number, call.name, seconds)
            kinds[str(answer.error.type) if answer.error else "ok"] += 1


@pytest.mark.threat("V01", "V02", "V03", "V04", "V05", "V12")
@pytest.mark.parametrize("part", range(PARTS))
async def test_every_fuzzed_call_is_answered_in_time(
    registry: Registry, capsys: pytest.CaptureFixture[str], part: int
) -> None:
    kinds: Counter[str] = Counter()
    for done in range(0, CALLS, EACH_APP):
        await fuzz(registry, seed=part * CALLS + done, count=min(EACH_APP, CALLS - done), kinds=kinds)
    with capsys.disabled():
        print(f"\nfuzz: {sum(kinds.values())} calls, {dict(kinds.most_common())}")
    assert kinds["ok"] > CALLS // 20, "it is not only refusals that are tested"
    assert kinds["VALIDATION"] > CALLS // 20
    assert kinds["CONFIRMATION_REQUIRED"] > 0


def test_the_same_seed_makes_the_same_calls() -> None:
    first, second = Fuzzer(7), Fuzzer(7)
    assert [first.call().name for _ in range(50)] == [second.call().name for _ in range(50)]

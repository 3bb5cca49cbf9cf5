"""One message of a model: gates in the order asked, reads together, writes alone, one answer each."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from tests.support.apps import Workshop, call, error_of, one, talking

from ambidex.contracts.envelope import envelope_problems

TRACED = """\
from ambidex import ok

async def execute(args, context):
    await context.trace.passing(context.tool, args["name"])
    return ok({"name": args["name"]})
"""
PARENT = """\
from ambidex import ok

async def execute(args, context):
    answers = [await context.call_tool("look", {"name": str(number)}) for number in range(4)]
    return ok({"given": ["ok" if answer.ok else str(answer.error.type) for answer in answers]})
"""


class Trace:
    """A capability that notes who begins, who ends, and how many were inside at the same time."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.inside = 0
        self.most = 0

    async def passing(self, tool: str, name: str) -> None:
        self.steps.append(f"+{name}")
        self.inside += 1
        self.most = max(self.most, self.inside)
        for _ in range(5):
            await asyncio.sleep(0)
        self.inside -= 1
        self.steps.append(f"-{name}")


@pytest.fixture
def traced(workshop: Workshop) -> Workshop:
    return workshop.reading("look", handler=TRACED).writing("pay", handler=TRACED)


async def test_reads_run_together_and_writes_alone_in_the_order_asked(traced: Workshop) -> None:
    trace = Trace()
    names = [("look", "a"), ("look", "b"), ("pay", "c"), ("pay", "d"), ("look", "e"), ("look", "f")]
    async with talking(traced.build(), capabilities={"trace": trace}) as (_, session, _):
        answers = await session.answer([call(tool, {"name": name}) for tool, name in names])
    assert [answer.data["name"] for answer in answers] == list("abcdef")
    assert trace.steps[:2] == ["+a", "+b"]
    assert set(trace.steps[2:4]) == {"-a", "-b"}
    assert trace.steps[4:8] == ["+c", "-c", "+d", "-d"]
    assert trace.steps[8:10] == ["+e", "+f"]
    assert trace.most == 2


@pytest.mark.threat("T08")
async def test_every_call_of_a_batch_gets_exactly_one_answer_in_the_order_asked(traced: Workshop) -> None:
    calls = [
        call("look", {"name": "a"}, id="1"),
        call("look", "{broken", id="2"),
        call("nothing", {}, id="3"),
        call("look", {"name": "a"}, id="1"),
        call("pay", {"name": "b"}, id="5"),
        call("pay", {"nam": "b"}, id="6"),
    ]
    async with talking(traced.build(), capabilities={"trace": Trace()}) as (_, session, _):
        answers = await session.answer(calls)
        assert await session.answer([]) == []
    assert [error_of(each) for each in answers] == ["ok", "VALIDATION", "NOT_FOUND", "ok", "ok", "VALIDATION"]
    assert [each.meta.call_id for each in answers if each.meta] == ["1", "2", "3", "1", "5", "6"]
    for answer in answers:
        assert envelope_problems(msgspec.json.decode(msgspec.json.encode(answer))) == []


async def test_the_calls_a_tool_makes_count_in_the_turn(workshop: Workshop) -> None:
    registry = workshop.reading().tool("parent", handler=PARENT).build()
    async with talking(registry, mode="voice") as (_, session, _):
        answer = await one(session, "parent")
        assert answer.data == {"given": ["ok", "ok", "BUDGET_EXCEEDED", "BUDGET_EXCEEDED"]}
        assert error_of(await one(session, "look", {"name": "more"})) == "BUDGET_EXCEEDED"
    assert len(workshop.runs("look")) == 2


async def test_untrusted_text_counts_from_the_next_message_of_the_model(workshop: Workshop) -> None:
    registry = workshop.reading(untrusted=True).writing().build()
    for _ in range(8):
        async with talking(registry) as (_, session, _):
            together = await session.answer([call("look"), call("pay", {"name": "first"})])
            assert [error_of(answer) for answer in together] == ["ok", "ok"]
            assert error_of(await one(session, "pay", {"name": "second"})) == "CONFIRMATION_REQUIRED"
            await session.begin_turn("now I speak")
            assert error_of(await one(session, "pay", {"name": "third"})) == "ok"


async def test_the_bytes_of_an_answer_begin_with_ok_and_are_the_whole_envelope(workshop: Workshop) -> None:
    async with talking(workshop.reading().build()) as (_, session, _):
        good: Any = await session.answer_json("look", b'{"name": "x"}', id="c")
        bad = await session.answer_json("look", b"{", id="d")
    assert good.startswith(b'{"ok":true,')
    assert bad.startswith(b'{"ok":false,')
    for raw in (good, bad):
        assert envelope_problems(msgspec.json.decode(raw)) == []

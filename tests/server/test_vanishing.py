"""Clients that go away, or stop reading: nothing is left behind, nothing grows, and a write still has its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.server.scripted import Scripted, calls
from tests.server.site import Site, json_of, saying, served, told
from tests.support.apps import Workshop
from tests.support.soak import soak
from tests.support.trail import audited
from tests.support.waiting import until

from ambidex.server.outbox import Outbox

SLOW = """\
import asyncio
from pathlib import Path
from ambidex import ok

async def execute(args, context):
    Path({began!r}).touch()
    while not Path({gate!r}).exists():
        await asyncio.sleep(0.002)
    return ok({{"done": args["name"]}})
"""


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    slow = SLOW.format(began=str(tmp_path / "began"), gate=str(tmp_path / "gate"))
    return Workshop(tmp_path).reading("look").writing("pay", handler=slow)


async def leave_after(site: Site, lines: int, chat: str) -> None:
    """Ask, read so many lines of the answer, and go away."""
    async with site.client.stream("POST", "/api/chat", json=saying("hello", chat=chat)) as answer:
        seen = 0
        async for _ in answer.aiter_lines():
            seen += 1
            if seen > lines:
                break


@pytest.mark.threat("T11")
async def test_a_client_that_vanishes_at_any_moment_leaves_no_task_behind(workshop: Workshop) -> None:
    async with served(workshop, Scripted(), **{"server.linger_seconds": 0}) as site:
        await site.say("hello")
        base = len(asyncio.all_tasks())
        for lines in range(soak(12, 40)):
            site.state.agent.provider.steps = [  # type: ignore[attr-defined]
                calls((f"c{lines}", "look", {"name": str(lines)})),
                asyncio.Event(),
                "never said",
            ]
            await leave_after(site, lines, chat=f"chat-{lines}")
        await until(lambda: len(site.state.turns) == 0)
        await until(lambda: len(asyncio.all_tasks()) <= base)


@pytest.mark.threat("T11")
async def test_a_write_that_is_under_way_finishes_and_is_recorded_when_its_client_vanishes(workshop: Workshop) -> None:
    model = Scripted(calls(("c1", "pay", {"name": "Ann"})))
    async with served(workshop, model, **{"server.linger_seconds": 0}) as site:
        asking = asyncio.ensure_future(site.say("pay"))
        await until((workshop.root / "began").exists)
        asking.cancel()
        await until(lambda: len(site.state.turns) == 0)
        (workshop.root / "gate").touch()
        await until(lambda: not site.state.app._shared._tasks)
        ends = await audited(site.state.app, "call_finished")
    assert [(end["tool"], end["ok"]) for end in ends] == [("pay", True)]


async def test_an_answer_whose_reader_went_away_goes_on_and_can_be_resumed(workshop: Workshop) -> None:
    gate = asyncio.Event()
    model = Scripted(calls(("c1", "look", {"name": "rooms"})), gate, "There are four.")
    async with served(workshop, model) as site:
        async with site.client.stream("POST", "/api/chat", json=saying("rooms?")):
            await until(lambda: len(model.asks) == 2)
        async with site.client.stream("GET", "/api/chat/chat-1/stream") as late:
            gate.set()
            await late.aread()
    assert told(late).text == "There are four."


async def test_a_new_message_ends_an_answer_that_nobody_reads(workshop: Workshop) -> None:
    model = Scripted(asyncio.Event(), "never", "Second.")
    async with served(workshop, model, **{"server.linger_seconds": 600}) as site:
        async with site.client.stream("POST", "/api/chat", json=saying("one")):
            await until(lambda: len(model.asks) == 1)
        model.steps = ["Second."]
        assert (await site.say("two")).text == "Second."


@pytest.mark.threat("T05")
async def test_a_client_that_stops_reading_is_let_go_and_costs_bounded_memory(workshop: Workshop) -> None:
    said = 0

    async def endless() -> AsyncIterator[str]:
        nonlocal said
        for _ in range(soak(600, 6000)):
            said += 1
            yield "x" * 65_536
            await asyncio.sleep(0)

    model = Scripted(endless)
    async with served(workshop, model, **{"server.linger_seconds": 0}) as site:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(site.url.rpartition(":")[2]))
        body = b'{"id":"chat-1","messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"go on"}]}]}'
        head = f"POST /api/chat HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await until(lambda: said > 20)
        await until(lambda: len(site.state.turns) == 0)
        other = await site.say("hello", chat="chat-2")
        writer.close()
        del reader
    assert other.status == 200
    assert said < soak(600, 6000)


def test_an_outbox_lets_its_reader_go_before_it_grows() -> None:
    box = Outbox(most_bytes=100)
    for _ in range(1000):
        box.put(b"x" * 60)
    assert box.closed
    assert sum(map(len, box._frames)) <= 100


async def test_an_outbox_gives_everything_in_order_and_then_its_end() -> None:
    box = Outbox()
    box.put(b"a")
    box.put(b"b")
    assert await box.take() == b"ab"
    box.end()
    assert await box.take() is None


@pytest.mark.threat("S04")
async def test_two_connections_to_one_conversation_share_its_session_and_take_turns(workshop: Workshop) -> None:
    gate = asyncio.Event()
    model = Scripted(gate, "First.", "Second.")
    async with served(workshop, model) as site:
        first = asyncio.ensure_future(site.say("one"))
        await until(lambda: len(model.asks) == 1)
        second = asyncio.ensure_future(site.say("two"))
        gate.set()
        assert [(await first).text, (await second).text] == ["First.", "Second."]
        sessions = json_of(await site.client.get("/api/sessions"))["sessions"]
    assert [(session["epoch"], session["turn"]) for session in sessions] == [(1, 2)]

"""What tools send to the client while a turn is shown."""

from __future__ import annotations

import asyncio

import pytest

from ambidex.agents.outbox import MOST_MESSAGES, Outbox


async def test_messages_come_while_the_work_goes_on_and_the_last_ones_with_its_end() -> None:
    outbox, seen = Outbox(), asyncio.Event()

    async def work() -> str:
        await outbox.send({"n": 1})
        await seen.wait()
        await outbox.send({"n": 2})
        return "done"

    task, got = asyncio.ensure_future(work()), []
    async for message in outbox.until(task):
        got.append(message["n"])
        seen.set()
    assert (got, task.result()) == ([1, 2], "done")


@pytest.mark.threat("T05")
async def test_a_client_that_is_gone_or_reads_nothing_is_told_to_the_tool() -> None:
    outbox = Outbox()
    for number in range(MOST_MESSAGES):
        await outbox.send({"n": number})
    with pytest.raises(ConnectionError):
        await outbox.send({})
    assert len(outbox.taken()) == MOST_MESSAGES
    outbox.reachable = False
    with pytest.raises(ConnectionError):
        await outbox.send({})

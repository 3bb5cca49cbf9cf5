"""The watchdog names a handler that blocks the loop, while it blocks it."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest
from tests.support.apps import Workshop, one, talking

from ambidex.execution import watchdog
from ambidex.execution.watchdog import Watchdog

BLOCKING = """\
import logging
import threading
from ambidex import ok

async def execute(args, context):
    {first}
    warned = threading.Event()

    class Listening(logging.Handler):
        def emit(self, record):
            if "has blocked the event loop" in record.getMessage():
                warned.set()

    listening = Listening()
    logging.getLogger("ambidex.execution").addHandler(listening)
    seen = warned.wait(20)
    logging.getLogger("ambidex.execution").removeHandler(listening)
    return ok({{"named while it ran": seen}})
"""
"""Blocks the loop until the watchdog has spoken, so that nothing here depends on how fast the machine is."""


@pytest.mark.threat("H09")
@pytest.mark.parametrize("first", ["pass", "await context.in_thread(int)"], ids=["inline", "in a task"])
async def test_a_handler_that_blocks_the_loop_is_named_while_it_does(
    first: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shop = Workshop(tmp_path).tool("stuck", handler=BLOCKING.format(first=first), timeoutMs=60_000)
    with caplog.at_level(logging.WARNING):
        async with talking(shop.build()) as (_, session, _transport):
            answer = await one(session, "stuck")
    assert answer.data == {"named while it ran": True}
    warnings = [record.getMessage() for record in caplog.records if "has blocked" in record.getMessage()]
    assert len(warnings) == 1, "one warning for one stall"
    assert "the handler of stuck" in warnings[0]


@pytest.mark.threat("H09")
async def test_something_else_that_blocks_the_loop_is_not_blamed_on_a_tool(caplog: pytest.LogCaptureFixture) -> None:
    warned = threading.Event()

    class Listening(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            warned.set()

    listening = Listening()
    watchdog.logger.addHandler(listening)
    dog = Watchdog(seconds=0.05)
    dog.start()
    try:
        assert warned.wait(20)
    finally:
        dog.stop()
        watchdog.logger.removeHandler(listening)
    assert "something that is no handler has blocked the event loop" in caplog.text


async def test_a_watchdog_that_was_stopped_leaves_no_thread() -> None:
    dog = Watchdog(seconds=0.05)
    dog.start()
    dog.stop()
    assert not [thread for thread in threading.enumerate() if thread is dog._thread]

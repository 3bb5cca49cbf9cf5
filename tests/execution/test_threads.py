"""The pool for blocking work: bounded, and fair between tools."""

from __future__ import annotations

import asyncio
import threading

import pytest

from ambidex.execution.threads import Threads


@pytest.mark.threat("H09")
async def test_stuck_work_of_one_tool_leaves_threads_for_the_others() -> None:
    threads, free = Threads(most=4, each=3), threading.Event()
    stuck = [asyncio.create_task(threads.run("stuck", free.wait)) for _ in range(100)]
    for _ in range(5):
        await asyncio.sleep(0)  # all of it is asked for before anybody else asks
    try:
        async with asyncio.timeout(5):
            assert await threads.run("other", lambda: "answered") == "answered"
    finally:
        free.set()
    assert await asyncio.gather(*stuck) == [True] * 100
    threads.close()


@pytest.mark.threat("H09")
async def test_giving_up_on_stuck_work_does_not_free_its_thread() -> None:
    threads, free, running = Threads(most=2, each=1), threading.Event(), threading.Event()

    def work() -> None:
        running.set()
        free.wait()

    first = asyncio.create_task(threads.run("stuck", work))
    await asyncio.to_thread(running.wait)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    second = asyncio.create_task(threads.run("stuck", lambda: "ran"))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not second.done()
    free.set()
    assert await second == "ran"
    threads.close()


@pytest.mark.threat("H01")
@pytest.mark.parametrize("error", [ValueError, SystemExit, KeyboardInterrupt, GeneratorExit])
async def test_what_work_raises_is_raised_to_who_asked_for_it(error: type[BaseException]) -> None:
    threads = Threads()

    def work() -> None:
        raise error

    with pytest.raises(error):
        await threads.run("tool", work)
    threads.close()


@pytest.mark.threat("H01")
async def test_even_the_end_of_an_iterator_gets_through() -> None:
    threads = Threads()
    with pytest.raises(RuntimeError):
        await threads.run("tool", next, iter(()))
    threads.close()

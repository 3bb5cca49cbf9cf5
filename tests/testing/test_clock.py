"""A clock for tests: it moves when it is told to, and the wall clock can be set behind its back."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.stores.clock import elapsed_ms, rfc3339
from ambidex.testing import FakeClock


def test_it_stands_still_until_it_is_moved() -> None:
    clock = FakeClock()
    assert clock.moment() == clock.moment()


def test_it_begins_at_a_date_that_a_test_can_rely_on() -> None:
    assert rfc3339(FakeClock().moment()) == "2026-01-01T00:00:00.000Z"
    assert rfc3339(FakeClock(wall_ms=0).moment()) == "1970-01-01T00:00:00.000Z"


@settings(deadline=None)
@given(st.lists(st.integers(0, 10**7), max_size=20))
def test_time_that_passes_is_seen_on_both_clocks_to_the_millisecond(steps: list[int]) -> None:
    clock = FakeClock()
    start = clock.moment()
    for step in steps:
        clock.advance(step / 1000)
    assert elapsed_ms(start, clock.moment()) == clock.moment().wall - start.wall == sum(steps)


def test_a_jump_sets_the_wall_clock_and_no_time_passes() -> None:
    clock = FakeClock()
    start = clock.moment()
    clock.jump(-3600)
    assert elapsed_ms(start, clock.moment()) == 0
    assert clock.moment().wall == start.wall - 3_600_000


async def test_sleeping_passes_the_time_at_once_is_noted_and_lets_others_run() -> None:
    clock, order = FakeClock(), []
    start = clock.moment()

    async def other() -> None:
        order.append("other")

    task = asyncio.ensure_future(other())
    await clock.sleep(60)
    order.append("slept")
    await task
    assert order == ["other", "slept"]
    assert clock.slept == [60]
    assert elapsed_ms(start, clock.moment()) == 60_000

"""Rate limits: by user or by session, in a sliding window, told with how long to wait."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.support.apps import ANN, Workshop, error_of, one, running, talking

from ambidex import User
from ambidex.policy.rates import hit, recent, until_free_ms
from ambidex.stores.base import Tx
from ambidex.stores.memory import MemoryStore
from ambidex.testing import FakeClock


def limited(workshop: Workshop, per: str, calls: int = 2) -> Workshop:
    return workshop.tool("look", rateLimit={"calls": calls, "windowMs": 10_000, "per": per})


async def test_a_call_too_many_is_told_how_long_to_wait_and_then_has_room(workshop: Workshop) -> None:
    clock = FakeClock()
    async with talking(limited(workshop, "user").build(), clock=clock) as (_, session, _):
        assert error_of(await one(session, "look", {"name": "1"})) == "ok"
        clock.advance(4)
        assert error_of(await one(session, "look", {"name": "2"})) == "ok"
        clock.advance(1)
        fault = (await one(session, "look", {"name": "3"})).error
        assert fault is not None
        assert (fault.type, fault.retryable, fault.retry_after_ms) == ("RATE_LIMIT", True, 5000)
        clock.advance(4.999)
        assert error_of(await one(session, "look", {"name": "3"})) == "RATE_LIMIT"
        clock.advance(0.001)
        assert error_of(await one(session, "look", {"name": "3"})) == "ok"
        assert error_of(await one(session, "look", {"name": "4"})) == "RATE_LIMIT"


async def test_a_limit_per_user_holds_over_all_of_their_sessions_and_only_theirs(workshop: Workshop) -> None:
    async with running(limited(workshop, "user").build(), clock=FakeClock()) as app:
        users = [ANN, ANN, User("bob"), User("ann", tenant="other")]
        sessions = [await app.open(mode="text", user=user) for user in users]
        for session in sessions:
            await session.begin_turn("look")
        given_ = [error_of(await one(session, "look", {"name": "1"})) for session in sessions]
        again = [error_of(await one(session, "look", {"name": "2"})) for session in sessions]
    assert given_ == ["ok"] * 4
    assert again == ["RATE_LIMIT", "RATE_LIMIT", "ok", "ok"]


async def test_a_limit_per_session_is_each_sessions_own(workshop: Workshop) -> None:
    async with running(limited(workshop, "session", calls=1).build(), clock=FakeClock()) as app:
        first, second = [await app.open(mode="text", user=ANN) for _ in range(2)]
        for session in (first, second):
            await session.begin_turn("look")
            assert error_of(await one(session, "look", {"name": "1"})) == "ok"
            assert error_of(await one(session, "look", {"name": "2"})) == "RATE_LIMIT"


async def test_repeats_and_refusals_do_not_count_toward_a_rate(workshop: Workshop) -> None:
    async with talking(limited(workshop, "user").build(), clock=FakeClock()) as (_, session, _):
        await one(session, "look", {"name": "1"}, id="a")
        for _ in range(3):
            assert error_of(await one(session, "look", {"name": "1"}, id="a")) == "ok"
            assert error_of(await one(session, "look", {"name": 1})) == "VALIDATION"
        assert error_of(await one(session, "look", {"name": "2"}, id="b")) == "ok"


async def test_a_wall_clock_that_jumps_frees_nothing_early(workshop: Workshop) -> None:
    clock = FakeClock()
    async with talking(limited(workshop, "user", calls=1).build(), clock=clock) as (_, session, _):
        await one(session, "look", {"name": "1"})
        for jump in (3600, -7200):
            clock.jump(jump)
            assert error_of(await one(session, "look", {"name": "2"})) == "RATE_LIMIT"


@given(st.lists(st.integers(0, 3000), max_size=30), st.integers(1, 4))
def test_no_window_ever_holds_more_than_the_limit(pauses: list[int], most: int) -> None:
    clock, window = FakeClock(), 5000
    store = MemoryStore(clock)
    let_through: list[int] = []

    def step(tx: Tx) -> None:
        if until_free_ms(tx, recent(tx, "name", window), window, most) == 0:
            hit(tx, "name", window, most)
            let_through.append(tx.now.mono)

    for pause in pauses:
        clock.advance(pause / 1000)
        store.run(step)
    assert all(sum(at - window < other <= at for other in let_through) <= most for at in let_through)

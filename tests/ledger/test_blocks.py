"""Blocks in the store: how they add up, and every way in that they close."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.apps import ANN, BOB, Workshop, call, error_of, one, running, talking
from tests.support.trail import audited

from ambidex import Refused, Registry, User
from ambidex.ledger.blocks import DAY_MS, add_block, block_left_ms, blocks_of, lift_block
from ambidex.ledger.spaces import BLOCKS, block_key
from ambidex.stores.memory import MemoryStore
from ambidex.testing import FakeClock, MemoryTransport

SHIPPED = Path(__file__).parents[2] / "tools"
HOUR = {"duration_seconds": 3600, "farewell_message": "Good bye."}


def left(store: MemoryStore, user: str = "ann", tenant: str = "default") -> int:
    return store.run(lambda tx: block_left_ms(tx.get(BLOCKS, block_key(tenant, user)), tx.now))


@pytest.mark.threat("S08")
@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(st.integers(0, DAY_MS), st.integers(1, 2 * DAY_MS), st.sampled_from(["a", "b", "c", "d"])), max_size=8
    )
)
def test_a_block_ends_at_the_latest_end_asked_for_at_most_a_day_ahead(steps: list[tuple[int, int, str]]) -> None:
    clock = FakeClock()
    store = MemoryStore(clock)
    end, told = 0, dict[str, int]()
    for pause, duration, incident in steps:
        clock.advance(pause / 1000)
        now = clock.moment().wall
        until = store.run(lambda tx, d=duration, i=incident: add_block(tx, "default", "ann", d, i))  # type: ignore[misc]
        if incident in told and until == told[incident]:
            pass  # an incident that was answered before changes nothing
        else:
            end = max(end, now + min(DAY_MS, duration))
            assert until == end
            told[incident] = until
        assert left(store) == max(0, end - now) <= DAY_MS


@pytest.mark.threat("S08")
def test_an_incident_counts_once_however_often_it_is_reported() -> None:
    clock = FakeClock()
    store = MemoryStore(clock)
    first = store.run(lambda tx: add_block(tx, "default", "ann", 60_000, "one"))
    clock.advance(59)
    assert store.run(lambda tx: add_block(tx, "default", "ann", 60_000, "one")) == first
    assert left(store) == 1000
    clock.advance(2)
    assert store.run(lambda tx: add_block(tx, "default", "ann", 60_000, "one")) == first
    assert left(store) == 0


def test_a_lifted_block_stays_lifted_for_its_own_incident_and_returns_for_a_new_one() -> None:
    store = MemoryStore(FakeClock())
    store.run(lambda tx: add_block(tx, "default", "ann", 60_000, "one"))
    assert store.run(lambda tx: lift_block(tx, "default", "ann"))
    assert not store.run(lambda tx: lift_block(tx, "default", "ann"))
    store.run(lambda tx: add_block(tx, "default", "ann", 60_000, "one"))
    assert left(store) == 0
    store.run(lambda tx: add_block(tx, "default", "ann", 60_000, "two"))
    assert left(store) == 60_000


def test_a_block_is_of_one_user_of_one_tenant() -> None:
    store = MemoryStore(FakeClock())
    store.run(lambda tx: add_block(tx, "default", "ann", 60_000, "one"))
    assert (left(store), left(store, "bob"), left(store, "ann", "other")) == (60_000, 0, 0)
    assert [row.user for row, _ in store.run(lambda tx: blocks_of(tx, "default"))] == ["ann"]
    assert store.run(lambda tx: blocks_of(tx, "defaul")) == []


def test_setting_the_wall_clock_lifts_no_block() -> None:
    clock = FakeClock()
    store = MemoryStore(clock)
    store.run(lambda tx: add_block(tx, "default", "ann", 60_000, "one"))
    for jump in (3600, -7200):
        clock.jump(jump)
        assert left(store) == 60_000


@pytest.fixture
def village(workshop: Workshop) -> Registry:
    shutil.copytree(SHIPPED / "ignore-user", workshop.root / "tools" / "ignore-user")
    return workshop.reading().gated().build()


async def refused(opening: object) -> str:
    with pytest.raises(Refused) as caught:
        await opening  # type: ignore[misc]
    error = caught.value.error
    assert error.retry_after_ms
    assert error.retry_after_ms <= 3_600_000
    return str(error.type)


@pytest.mark.threat("S06")
@pytest.mark.parametrize("durable", [False, True])
async def test_a_blocked_user_finds_every_way_in_closed_until_the_block_ends(
    village: Registry, workshop: Workshop, durable: bool
) -> None:
    clock = FakeClock()
    store = f"sqlite:{workshop.root / 'a.db'}" if durable else "memory:"
    async with talking(village, store=store, clock=clock) as (app, session, _):
        other = await app.open(mode="voice", user=ANN)
        await other.begin_turn("hello")
        await one(session, "send")
        [request] = await session.confirmations()
        assert error_of(await one(session, "ignore_user", HOUR)) == "ok"
        token = session.resume_token
        assert await refused(app.open(mode="text", user=ANN)) == "UNAVAILABLE"
        assert await refused(app.open(mode="voice", user=User("ann"))) == "UNAVAILABLE"
        assert await refused(app.open(mode="text", user=ANN, resume=token)) == "UNAVAILABLE"
        assert await refused(app.attach(session.id, user=ANN)) == "UNAVAILABLE"
        assert await refused(session.begin_turn("let me in")) == "UNAVAILABLE"
        assert await refused(other.begin_turn("let me in")) == "UNAVAILABLE"
        assert error_of(await one(session, "look")) == error_of(await one(other, "look")) == "UNAVAILABLE"
        assert error_of(await session.approve(request.token)) == "UNAVAILABLE"
        bob = await app.open(mode="text", user=BOB)
        await bob.begin_turn("hello")
        assert error_of(await one(bob, "look")) == "ok"
        clock.advance(3600)
        await session.begin_turn("sorry")
        assert error_of(await one(session, "look")) == "ok"
    assert workshop.runs("send") == []
    assert len(workshop.runs("look")) == 2


@pytest.mark.threat("S06")
async def test_a_block_survives_a_restart(village: Registry, workshop: Workshop) -> None:
    store = f"sqlite:{workshop.root / 'a.db'}"
    async with talking(village, store=store) as (_, session, _):
        await one(session, "ignore_user", HOUR)
    async with running(village, store=store) as app:
        assert await refused(app.open(mode="text", user=ANN)) == "UNAVAILABLE"
        assert [block.user for block in await app.blocks.list()] == ["ann"]
        assert await app.blocks.lift(ANN)
        assert (await app.attach(session.id, user=ANN)).id == session.id


@pytest.mark.threat("S07")
async def test_a_user_who_closes_the_socket_first_is_blocked_all_the_same(village: Registry) -> None:
    async with talking(village, mode="voice") as (app, session, transport):
        transport.connected = False
        assert error_of(await one(session, "ignore_user", HOUR)) == "ok"
        assert transport.to_client == []
        assert await refused(app.open(mode="voice", user=ANN)) == "UNAVAILABLE"


@pytest.mark.threat("S07")
async def test_the_block_stands_before_the_client_hears_of_it(village: Registry) -> None:
    class Curious(MemoryTransport):
        async def send(self, message: object) -> None:
            heard.append(await app.blocks.until(ANN) is not None)

    heard: list[bool] = []
    async with talking(village, mode="voice") as (app, session, _):
        Curious(session)
        await one(session, "ignore_user", HOUR)
    assert heard == [True]


@pytest.mark.threat("S08")
async def test_repeats_and_parallel_calls_block_once(village: Registry) -> None:
    clock = FakeClock()
    async with talking(village, mode="voice", clock=clock) as (app, session, _):
        calls = [call("ignore_user", HOUR, id=str(number)) for number in range(5)]
        await asyncio.gather(*(session.answer([each]) for each in calls))
        clock.advance(10)
        await one(session, "ignore_user", HOUR, id="0")
        until = await app.blocks.until(ANN)
        blocked = await audited(app, "block_added")
    assert until is not None
    assert until.timestamp() * 1000 == clock.moment().wall - 10_000 + 3_600_000
    assert len(blocked) == 1

"""What is forgotten, when, and what a store that is full still does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.apps import ANN, BOB, Workshop, error_of, one, talking

from ambidex.ledger.pruning import kept_writes, prune
from ambidex.ledger.rows import CallState
from ambidex.ledger.spaces import (
    CALLS,
    CONVERSATIONS,
    DOUBTFUL,
    HITS,
    OPEN,
    PENDING,
    REFUSED,
    REQUESTS,
    RESUME,
    SESSIONS,
    TOKENS,
    TURNS,
)
from ambidex.policy.limits import Retention
from ambidex.stores.base import Store
from ambidex.stores.memory import MemoryStore
from ambidex.stores.sqlite import SqliteStore
from ambidex.testing import FakeClock

DAY = 86_400
FORGOTTEN = (CALLS, CONVERSATIONS, DOUBTFUL, HITS, OPEN, PENDING, REFUSED, REQUESTS, RESUME, SESSIONS, TOKENS, TURNS)


def _sizes(store: Store) -> dict[str, int]:
    return {space.name: len(store.run(lambda tx, space=space: tx.scan(space))) for space in FORGOTTEN}  # type: ignore[misc]


def _prune_all(store: Store, rows_ms: int = DAY * 1000, limit: int = 5) -> None:
    for _ in range(50):
        store.run(lambda tx: prune(tx, rows_ms, limit))


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore(FakeClock()) if request.param == "memory" else SqliteStore(tmp_path / "a.db", FakeClock())


def _clock(store: Store) -> FakeClock:
    assert isinstance(store.clock, FakeClock)
    return store.clock


def _busy(folder: Path) -> Workshop:
    return Workshop(folder).writing("pay").reading("look", rateLimit={"calls": 90, "windowMs": 60_000}).gated("send")


@pytest.mark.threat("I11")
async def test_a_full_store_refuses_new_writes_replays_old_ones_and_serves_reads(tmp_path: Path, store: Store) -> None:
    shop = _busy(tmp_path)
    config = {"retention": {"writes": 6}}
    async with talking(shop.build(), store=store, config=config) as (app, session, _t):
        for number in range(6):
            assert (await one(session, "pay", {"name": str(number)}, f"c{number}")).ok
        await session.begin_turn("more")
        full = await one(session, "pay", {"name": "too much"}, "c6")
        oldest = await one(session, "pay", {"name": "0"}, "c0")
        read = await one(session, "look", None, "r1")
        other = await app.open(mode="text", user=BOB)
        await other.begin_turn("hello")
        of_another = await one(other, "pay", {"name": "1"}, "1")
    assert full.error is not None
    assert (error_of(full), full.error.retryable) == ("TRANSIENT", True)
    assert (oldest.data, oldest.meta and oldest.meta.deduplicated) == ({"done": "0"}, True)
    assert (read.ok, error_of(of_another)) == (True, "TRANSIENT")
    assert len(shop.runs("pay")) == 6


@pytest.mark.threat("I11")
async def test_an_approval_that_finds_the_store_full_does_nothing_and_stays_good(tmp_path: Path) -> None:
    shop = _busy(tmp_path)
    async with talking(shop.build(), config={"retention": {"writes": 1}}) as (app, session, _t):
        await one(session, "send", None, "s1")
        [request] = await session.confirmations()
        await one(session, "pay", None, "c1")
        refused = await session.approve(request.token)
        assert (error_of(refused), shop.runs("send")) == ("TRANSIENT", [])
        app._shared.retention = Retention(writes=2)
        assert (await session.approve(request.token)).ok
    assert len(shop.runs("send")) == 1


@pytest.mark.threat("I11")
async def test_a_repeat_and_a_second_claim_of_one_key_fill_no_room(tmp_path: Path, store: Store) -> None:
    shop = Workshop(tmp_path).writing("pay")
    async with talking(shop.build(), store=store) as (_, session, _t):
        for id in ("c1", "c1", "c2"):
            await one(session, "pay", None, id)
        assert store.run(kept_writes) == 1


@pytest.mark.threat("I11")
async def test_a_session_keeps_the_answers_of_its_last_hundred_reads(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).reading("look")
    limits = {"limits": {"text": {"total": 500, "retrieval": 500}}}
    async with talking(shop.build(), config=limits) as (_, session, _t):
        for number in range(101):
            assert (await one(session, "look", {"name": str(number)}, f"c{number}")).ok
        kept = await one(session, "look", {"name": "1"}, "c1")
        evicted = await one(session, "look", {"name": "0"}, "c0")
    assert (kept.meta and kept.meta.deduplicated, evicted.meta and evicted.meta.deduplicated) == (True, False)
    assert len(shop.runs("look")) == 102


@pytest.mark.threat("I11")
async def test_a_write_is_remembered_for_a_day_after_its_conversation_fell_silent(tmp_path: Path, store: Store) -> None:
    shop = Workshop(tmp_path).writing("pay")
    async with talking(shop.build(), store=store) as (_, session, _t):
        await one(session, "pay", None, "c1")
        for _ in range(3):  # it goes on for days, and the key lives as long as it does
            _clock(store).advance(DAY - 1)
            await session.begin_turn("still here")
            _prune_all(store)
        _clock(store).advance(DAY - 1)
        _prune_all(store)
        again = await one(session, "pay", None, "c1")
    assert again.meta is not None
    assert again.meta.deduplicated
    assert len(shop.runs("pay")) == 1


async def test_after_that_all_of_it_is_forgotten_and_there_is_room_again(tmp_path: Path, store: Store) -> None:
    shop = _busy(tmp_path)
    async with talking(shop.build(), store=store) as (app, session, _t):
        silent = await app.open(mode="text", user=ANN)
        for number in range(6):
            await one(session, "pay", {"name": str(number)}, f"c{number}")
        await one(session, "look")
        await one(session, "look", {"wrong": 1})
        await one(session, "send", None, "s1")
        for _ in range(12):
            await session.confirmations()
        assert store.run(kept_writes) == 6
        _clock(store).advance(DAY)
        young = await app.open(mode="text", user=BOB)
        await young.begin_turn("hello")
        await one(young, "pay", None, "c1")
        _clock(store).advance(1)
        _prune_all(store)
        sizes = _sizes(store)
        assert store.run(kept_writes) == 1
    assert silent.id != young.id
    left = {"call": 1, "conversation": 1, "session": 1, "turn": 1, "resume": 1}
    assert sizes == {name: left.get(name, 0) for name in sizes}


async def test_a_conversation_with_a_call_that_has_no_end_yet_is_kept(tmp_path: Path) -> None:
    clock = FakeClock()
    store = MemoryStore(clock)
    shop = Workshop(tmp_path).writing("pay")
    async with talking(shop.build(), store=store) as (_, session, _t):
        await one(session, "pay", None, "c1")
        [(place, _row)] = store.run(lambda tx: tx.scan(CALLS))
        store.run(lambda tx: tx.put(OPEN, place, place))
        clock.advance(2 * DAY)
        _prune_all(store)
        [(_, row)] = store.run(lambda tx: tx.scan(CALLS))
    assert row.state is CallState.DONE


async def test_one_look_goes_no_further_than_it_was_told(tmp_path: Path) -> None:
    clock = FakeClock()
    store = MemoryStore(clock)
    async with talking(Workshop(tmp_path).reading("look").build(), store=store) as (app, _s, _t):
        for _ in range(9):
            session = await app.open(mode="text", user=ANN)
            await session.begin_turn("hello")
        clock.advance(2 * DAY)
        counts = []
        for _ in range(5):
            store.run(lambda tx: prune(tx, DAY * 1000, 3))
            counts.append(len(store.run(lambda tx: tx.scan(CONVERSATIONS))))
    assert counts == [7, 4, 1, 0, 0]


async def test_an_orchestrator_prunes_by_its_configured_retention(tmp_path: Path) -> None:
    clock = FakeClock()
    store = MemoryStore(clock)
    registry = Workshop(tmp_path).reading("look").build()
    async with talking(registry, store=store, config={"retention": {"hours": 48}}) as (app, _s, _t):
        clock.advance(47 * 3600)
        assert await app.prune() == 0
        clock.advance(3600)
        assert await app.prune() == 2, "a conversation and its session"

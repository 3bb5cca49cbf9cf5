"""Workers that die, that are paused, and clocks that jump: every call gets one end, and nothing happens twice."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.apps import ANN, Workshop, error_of, one, running, talking
from tests.support.waiting import until
from tests.support.workers import DIE, Later, WorkerProcess, short_leases, workers

from ambidex import Registry, ToolResponse
from ambidex.audit.chain import LINES
from ambidex.ledger.rows import CallRow, CallState
from ambidex.ledger.spaces import CALLS, DOUBTFUL, OPEN
from ambidex.policy.decide import Worker
from ambidex.policy.recovering import lapsed, recover
from ambidex.stores.memory import MemoryStore
from ambidex.stores.sqlite import SqliteStore
from ambidex.testing import FakeClock

MORTAL = """\
import os
import signal
from pathlib import Path
from ambidex import ok

async def execute(args, context):
    if os.environ.get({die!r}) == "handler:before":
        os.kill(os.getpid(), signal.SIGKILL)
    with Path({path!r}).open("a") as effects:
        effects.write(context.idempotency_key + "\\n")
    if os.environ.get({die!r}) == "handler:after":
        os.kill(os.getpid(), signal.SIGKILL)
    return ok({{"done": args["name"]}})
"""
HELD = """\
import asyncio
from pathlib import Path
from ambidex import Intent, ok

async def execute(args, context):
    with Path({path!r}).open("a") as effects:
        effects.write(context.idempotency_key + "\\n")
    while not Path({go!r}).exists():
        await asyncio.sleep(0.002)
    return ok({{"done": args["name"]}}, intents=[Intent("SET_PENDING_MESSAGE", message="it was done")])
"""
BEFORE_CLAIM = ("1:before", "1:inside")
CLAIMED = ("1:after", "handler:before", "handler:after", "2:before", "2:inside")
FINISHED = ("2:after",)


def _mortal(folder: Path, downstream: str) -> Workshop:
    code = MORTAL.format(path=str(folder / "pay.effects"), die=DIE)
    return Workshop(folder).writing("pay", handler=code, downstream=downstream)


def _held(folder: Path, **fields: Any) -> Workshop:
    code = HELD.format(path=str(folder / "pay.effects"), go=str(folder / "go"))
    return Workshop(folder).writing("pay", handler=code, **fields)


async def _kill_and_recover(
    folder: Path, shop: Workshop, point: str
) -> tuple[ToolResponse, ToolResponse, list[CallRow]]:
    """One call whose worker dies at `point`, the same id after recovery, and the same again in the next turn."""
    registry, store = shop.build(), folder / "a.db"
    async with talking(registry, store=f"sqlite:{store}") as (_, session, _t):
        worker = WorkerProcess(shop.artifact, store, session, die=point)
        assert worker.hear() == "ready"
        assert worker.ask(call="pay", args={"name": "x"}, id="c1", times=1) is None
        assert worker.wait() == -signal.SIGKILL
    async with running(registry, store=f"sqlite:{store}", clock=Later(60)) as app:
        session = await app.attach(session.id, user=ANN)
        again = await one(session, "pay", None, "c1")
        await session.begin_turn("once more")
        later = await one(session, "pay", None, "c2")
        rows = [row for _, row in await app._shared.runner.run(lambda tx: tx.scan(CALLS))]
        assert not await app._shared.runner.run(lambda tx: tx.scan(OPEN))
    return again, later, rows


@pytest.mark.threat("K01")
@pytest.mark.parametrize("point", BEFORE_CLAIM)
async def test_a_worker_that_dies_before_the_claim_has_done_nothing_and_the_repeat_runs(
    tmp_path: Path, point: str
) -> None:
    shop = _mortal(tmp_path, "none")
    again, _, rows = await _kill_and_recover(tmp_path, shop, point)
    assert again.data == {"done": "x"}
    assert again.meta is not None
    assert again.meta.deduplicated is False
    assert {row.state for row in rows} == {CallState.DONE}


@pytest.mark.threat("K02", "K03")
@pytest.mark.parametrize("point", CLAIMED)
async def test_a_worker_that_dies_after_the_claim_leaves_doubt_that_is_told_in_plain_words(
    tmp_path: Path, point: str
) -> None:
    shop = _mortal(tmp_path, "none")
    again, later, rows = await _kill_and_recover(tmp_path, shop, point)
    assert again.error is not None
    assert (error_of(again), again.error.retryable) == ("OUTCOME_UNKNOWN", False)
    assert "may or may not have happened" in again.error.message
    assert error_of(later) == "CONFIRMATION_REQUIRED", "a repeat in a later turn is asked about"
    assert [(row.state, row.attempt) for row in rows] == [(CallState.UNKNOWN, 1)]
    assert len(shop.runs("pay")) == (point not in ("1:after", "handler:before"))


@pytest.mark.threat("K02", "K03")
@pytest.mark.parametrize("downstream", ["key", "natural"])
@pytest.mark.parametrize("point", CLAIMED)
async def test_where_repeating_is_harmless_recovery_runs_the_call_again_under_its_key(
    tmp_path: Path, point: str, downstream: str
) -> None:
    shop = _mortal(tmp_path, downstream)
    again, later, rows = await _kill_and_recover(tmp_path, shop, point)
    assert (again.data, again.meta and again.meta.deduplicated) == ({"done": "x"}, True)
    assert later.ok
    first, second = sorted(rows, key=lambda row: row.turn)
    assert (first.state, first.attempt, second.attempt) == (CallState.DONE, 2, 1)
    runs = Counter(shop.runs("pay"))
    happened_before = point not in ("1:after", "handler:before")
    assert sorted(runs.values()) == [1, 1 + happened_before], "the far side sees one key for one call"


@pytest.mark.threat("K03")
@pytest.mark.parametrize("point", FINISHED)
async def test_a_worker_that_dies_after_the_end_was_written_has_answered(tmp_path: Path, point: str) -> None:
    shop = _mortal(tmp_path, "none")
    again, _, _rows = await _kill_and_recover(tmp_path, shop, point)
    assert (again.data, again.meta and again.meta.deduplicated) == ({"done": "x"}, True)


@pytest.mark.threat("K02")
async def test_a_read_whose_worker_died_is_free_to_be_asked_again(tmp_path: Path) -> None:
    code = MORTAL.format(path=str(tmp_path / "look.effects"), die=DIE)
    shop = Workshop(tmp_path).reading("look", handler=code)
    registry, store = shop.build(), tmp_path / "a.db"
    async with talking(registry, store=f"sqlite:{store}") as (_, session, _t):
        worker = WorkerProcess(shop.artifact, store, session, die="handler:before")
        assert worker.hear() == "ready"
        assert worker.ask(call="look", args={"name": "x"}, id="c1", times=1) is None
        worker.wait()
    async with running(registry, store=f"sqlite:{store}", clock=Later(60)) as app:
        session = await app.attach(session.id, user=ANN)
        assert (await one(session, "look", None, "c1")).ok


@pytest.mark.threat("K04")
@pytest.mark.parametrize("downstream", ["none", "key"])
async def test_a_worker_that_wakes_after_its_lease_was_taken_can_write_nothing(tmp_path: Path, downstream: str) -> None:
    shop = _held(tmp_path, downstream=downstream, timeoutMs=30_000)
    registry, store = shop.build(), tmp_path / "a.db"
    async with talking(registry, store=f"sqlite:{store}") as (_, session, _t):
        with workers(1, shop.artifact, store, session) as [worker]:
            worker.tell(call="pay", args={"name": "x"}, id="c1", times=1)
            await until(lambda: bool(shop.runs("pay")))
            worker.pause()
            (tmp_path / "go").touch()
            async with running(registry, store=f"sqlite:{store}", clock=Later(600)):
                pass
            settled = _row(store)
            worker.go_on()
            [told] = await asyncio.to_thread(worker.hear)
        assert _row(store) == settled
        messages = await session.begin_turn("and then")
    assert settled.state is (CallState.UNKNOWN if downstream == "none" else CallState.DONE)
    assert told["error"] == ("OUTCOME_UNKNOWN" if downstream == "none" else None)
    assert messages == (() if downstream == "none" else ("it was done",)), "its intents count once or not at all"
    finals = [line for line in _audit(store) if line["event"] == "call_finished"]
    assert len(finals) == 1
    assert [line["facts"]["fenced"] for line in _audit(store) if line["event"] == "late_result"] == [True]


def _row(store: Path) -> CallRow:
    file = SqliteStore(store)
    [(_, row)] = file.run(lambda tx: tx.scan(CALLS))
    file.close()
    return row


def _audit(store: Path) -> list[dict[str, Any]]:
    file = SqliteStore(store)
    lines = [json.loads(line) for _, line in file.run(lambda tx: tx.scan(LINES))]
    file.close()
    return lines


@pytest.mark.threat("K05")
@pytest.mark.parametrize("jump", [3_600, -3_600])
async def test_a_jump_of_the_wall_clock_frees_no_lease_early_and_keeps_none_late(tmp_path: Path, jump: int) -> None:
    clock = FakeClock()
    store = MemoryStore(clock)
    shop = _held(tmp_path, downstream="none", timeoutMs=5_000)
    async with talking(shop.build(), store=store) as (app, session, _t):
        asked = asyncio.ensure_future(one(session, "pay", None, "c1"))
        await until(lambda: bool(shop.runs("pay")))
        clock.jump(jump)
        assert await app.recover() == 0
        clock.advance(6.999)
        assert await app.recover() == 0
        clock.advance(0.001)
        assert await app.recover() == 1
        (tmp_path / "go").touch()
        assert error_of(await asked) == "OUTCOME_UNKNOWN"


@pytest.mark.threat("K05")
@pytest.mark.parametrize("jump", [3_600, -3_600])
async def test_a_jump_of_the_wall_clock_neither_expires_nor_prolongs_a_request(tmp_path: Path, jump: int) -> None:
    clock = FakeClock()
    shop = Workshop(tmp_path).gated("send")
    async with talking(shop.build(), clock=clock) as (_, session, _t):
        await one(session, "send", None, "c1")
        clock.jump(jump)
        clock.advance(299.999)
        [request] = await session.confirmations()
        clock.advance(0.001)
        assert error_of(await session.approve(request.token)) == "CONFIRMATION_EXPIRED"


@pytest.mark.threat("K09", "K08")
async def test_four_recoverers_at_once_handle_each_row_once(tmp_path: Path) -> None:
    registry, store, count = _held(tmp_path, downstream="none").build(), tmp_path / "a.db", 12
    places = await _abandoned(registry, store, count)
    apps = [running(registry, store=f"sqlite:{store}") for _ in range(4)]
    entered = [await app.__aenter__() for app in apps]
    for app in entered:
        app._shared.runner.store.clock = Later(600)
    settled = await asyncio.gather(*(app.recover() for app in entered))
    for one_of_them in apps:
        await one_of_them.__aexit__(None, None, None)
    assert sum(settled) == count
    events = Counter((line["event"], line["key"]) for line in _audit(store) if "key" in line)
    assert len(places) == count
    for kind in ("call_started", "recovered", "call_finished"):
        assert [times for (event, _), times in events.items() if event == kind] == [1] * count


async def _abandoned(registry: Registry, store: Path, count: int) -> list[str]:
    """So many calls that were started by a process that is gone."""
    file = SqliteStore(store)
    async with talking(registry, store=file, grace_seconds=0, config={"limits": {"text": {"total": 50}}}) as (
        _,
        session,
        _t,
    ):
        asked = [asyncio.ensure_future(one(session, "pay", {"name": str(n)}, str(n))) for n in range(count)]
        reader = SqliteStore(store)
        await until(lambda: len(reader.run(lambda tx: tx.scan(OPEN))) == count)
        places = [place for place, _ in reader.run(lambda tx: tx.scan(OPEN))]
        reader.close()
    await asyncio.gather(*asked, return_exceptions=True)
    return places


@pytest.mark.threat("K09")
async def test_of_two_recoverers_the_second_finds_nothing_to_do(tmp_path: Path) -> None:
    clock = FakeClock()
    store = MemoryStore(clock)
    shop = _held(tmp_path, downstream="key")
    async with talking(shop.build(), store=store) as (app, session, _t):
        asked = asyncio.ensure_future(one(session, "pay", None, "c1"))
        await until(lambda: bool(shop.runs("pay")))
        clock.advance(60)
        [place] = store.run(lapsed)
        record = app._shared.record
        first = store.run(lambda tx: recover(tx, place, Worker("a"), record, can_run=True))
        second = store.run(lambda tx: recover(tx, place, Worker("b"), record, can_run=True))
        (tmp_path / "go").touch()
        await asked
    assert first is not None
    assert (first.worker, first.fence, first.state) == ("a", 2, CallState.STARTED)
    assert second is None


async def test_a_write_in_doubt_that_is_harmless_to_repeat_is_settled_by_recovery(tmp_path: Path) -> None:
    """It timed out, and the process that could have heard its late end is gone."""
    shop = _held(tmp_path, downstream="key", timeoutMs=100, redact=["args.name"])
    registry, store = shop.build(), tmp_path / "a.db"
    async with talking(registry, store=f"sqlite:{store}", grace_seconds=0) as (_, session, _t):
        assert error_of(await one(session, "pay", {"name": "secret"}, "c1")) == "OUTCOME_UNKNOWN"
    (tmp_path / "go").touch()
    async with running(registry, store=f"sqlite:{store}", clock=Later(60)) as app:
        session = await app.attach(session.id, user=ANN)
        settled = await one(session, "pay", {"name": "secret"}, "c1")
    assert settled.data == {"done": "secret"}
    row = _row(store)
    assert (row.state, row.attempt) == (CallState.DONE, 2)
    assert b"secret" not in row.args, "its arguments were kept whole only as long as they were needed"
    assert len(set(shop.runs("pay"))) == 1


async def test_recovery_gives_up_on_a_write_that_never_ends(tmp_path: Path) -> None:
    shop = _held(tmp_path, downstream="key", timeoutMs=100)
    registry, store = shop.build(), tmp_path / "a.db"
    async with talking(registry, store=f"sqlite:{store}", grace_seconds=0) as (_, session, _t):
        await one(session, "pay", None, "c1")
    for number in range(1, 8):
        async with running(registry, store=f"sqlite:{store}", clock=Later(60 * number), grace_seconds=0):
            pass
    assert len(shop.runs("pay")) == 5
    assert _row(store).state is CallState.UNKNOWN


async def test_without_its_tool_a_write_stays_in_doubt_and_its_arguments_are_not_kept(tmp_path: Path) -> None:
    registry, store = _held(tmp_path, downstream="key").build(), tmp_path / "a.db"
    await _abandoned(registry, store, 1)
    (tmp_path / "other").mkdir()
    other = Workshop(tmp_path / "other").reading("look").build()
    async with running(other, store=f"sqlite:{store}", clock=Later(600)):
        pass
    row = _row(store)
    assert (row.state, row.args) == (CallState.UNKNOWN, b"{}")
    file = SqliteStore(store)
    assert file.run(lambda tx: (len(tx.scan(OPEN)), len(tx.scan(DOUBTFUL)))) == (0, 1)
    file.close()


async def test_a_repeat_takes_over_from_a_worker_that_died(tmp_path: Path) -> None:
    """Nobody has to wait for recovery; and it needs no free place to do so."""
    registry, store = _held(tmp_path, downstream="key").build(), tmp_path / "a.db"
    await _abandoned(registry, store, 1)
    (tmp_path / "go").touch()
    row = _row(store)
    async with running(registry, store=f"sqlite:{store}") as app:
        short_leases(app, 0)
        session = await app.attach(row.session, user=ANN)
        app._shared.runner.store.clock = Later(600)
        app._shared.session_room = 0
        answer = await one(session, "pay", {"name": "0"}, "0")
        assert not app._shared._active
    assert (answer.data, answer.meta and answer.meta.attempt) == ({"done": "0"}, 2)
    assert msgspec.structs.replace(_row(store), state=CallState.DONE) == _row(store)

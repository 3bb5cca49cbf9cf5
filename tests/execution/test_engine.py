"""Time that is up, calls that are taken back, and callers that go away: what becomes of the row, and of the work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.apps import Workshop, call, error_of, one, talking
from tests.support.waiting import until

from ambidex import Orchestrator
from ambidex.ledger.rows import CallRow, CallState
from ambidex.ledger.spaces import CALLS
from ambidex.session.session import Session
from ambidex.stores.memory import MemoryStore
from ambidex.stores.sqlite import SqliteStore

STEPS = """\
import asyncio
from pathlib import Path
from ambidex import ErrorType, fail, ok

ROOT = Path({root!r})

def note(step):
    with (ROOT / "steps").open("a") as steps:
        steps.write(step + "\\n")

async def wait():
    while not (ROOT / "go").exists():
        await asyncio.sleep(0.002)

async def execute(args, context):
    note("began " + args["name"])
    {body}
    note("ended " + args["name"])
    return ok({{"done": args["name"]}})
"""
WAITS = "await wait()"
SWALLOWS = """\
try:
        await wait()
    except asyncio.CancelledError:
        await wait()"""
BLOCKS = """\
def block():
        import time
        while not (ROOT / "go").exists():
            time.sleep(0.002)
    await context.in_thread(block)"""
FAILS_AT_FIRST = """\
if len((ROOT / "steps").read_text().splitlines()) == 1:
        return fail(ErrorType.TRANSIENT, "not now", retryable=True, retry_after_ms=30_000)"""
READ: dict[str, Any] = {"category": "utility", "sideEffects": "read_only"}
WRITE: dict[str, Any] = {"category": "action", "sideEffects": "writes", "idempotent": False}


class Bench:
    """A tool whose steps can be seen and whose end can be held back; every test runs on both stores."""

    def __init__(self, root: Path, durable: bool) -> None:
        self.root = root
        self.store: MemoryStore | SqliteStore = SqliteStore(root / "a.db") if durable else MemoryStore()
        self.shop = Workshop(root)

    def tool(self, name: str, body: str = WAITS, **fields: Any) -> Bench:
        code = STEPS.format(root=str(self.root), body=body)
        self.shop.tool(name, handler=code, **{"timeoutMs": 10_000, "latencyBudgetMs": 20, **fields})
        return self

    @asynccontextmanager
    async def talking(self, **options: Any) -> AsyncIterator[tuple[Orchestrator, Session]]:
        async with talking(self.shop.build(), store=self.store, **options) as (app, session, _):
            yield app, session
            self.go()

    def go(self) -> None:
        (self.root / "go").touch()

    def steps(self) -> list[str]:
        path = self.root / "steps"
        return path.read_text().splitlines() if path.exists() else []

    async def until(self, *steps: str) -> None:
        await until(lambda: set(steps) <= set(self.steps()))

    def rows(self) -> list[CallRow]:
        return [row for _, row in self.store.run(lambda tx: tx.scan(CALLS))]

    def states(self) -> list[CallState]:
        return [row.state for row in self.rows()]


@pytest.fixture(params=["memory", "sqlite"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    return Bench(tmp_path, durable=request.param == "sqlite")


def _begun_here(app: Orchestrator) -> set[asyncio.Task[Any]]:
    """Tasks besides the test's own and the orchestrator's housekeeping."""
    kept = {asyncio.current_task(), app._recovering}
    return {task for task in asyncio.all_tasks() if task not in kept}


# Time is up


@pytest.mark.threat("I09", "B11")
@pytest.mark.parametrize("body", [WAITS, SWALLOWS, BLOCKS])
async def test_a_write_whose_time_is_up_is_unknown_until_its_late_end_settles_it(bench: Bench, body: str) -> None:
    bench.tool("pay", body, **WRITE, downstream="none", timeoutMs=60)
    async with bench.talking() as (_, session):
        answer = await one(session, "pay", None, "c1")
        assert error_of(answer) == "OUTCOME_UNKNOWN"
        assert error_of(await one(session, "pay", None, "c1")) == "OUTCOME_UNKNOWN", "never free to run again"
        [row] = bench.rows()
        assert row.state is CallState.UNKNOWN
        bench.go()
        await until(lambda: bench.states() == [CallState.DONE])
        assert bench.rows()[0].fence == row.fence
        settled = await one(session, "pay", None, "c1")
    assert settled.data == {"done": "x"}
    assert bench.steps() == ["began x", "ended x"]


@pytest.mark.threat("I09")
@pytest.mark.parametrize("body", [WAITS, SWALLOWS, BLOCKS])
async def test_a_read_whose_time_is_up_is_told_and_can_be_asked_again(bench: Bench, body: str) -> None:
    bench.tool("look", body, **READ, timeoutMs=60)
    async with bench.talking() as (_, session):
        answer = await one(session, "look", None, "c1")
        assert answer.error is not None
        assert (error_of(answer), answer.error.retryable) == ("TRANSIENT", True)
        bench.go()
        assert (await one(session, "look", None, "c1")).ok


@pytest.mark.threat("I09")
async def test_a_late_end_after_somebody_else_took_the_call_changes_nothing(bench: Bench) -> None:
    bench.tool("pay", WAITS, **WRITE, downstream="none", timeoutMs=60)
    async with bench.talking() as (app, session):
        await one(session, "pay", None, "c1")
        [(place, row)] = bench.store.run(lambda tx: tx.scan(CALLS))
        taken = msgspec.structs.replace(row, fence=row.fence + 1)
        bench.store.run(lambda tx: tx.put(CALLS, place, taken))
        bench.go()
        await bench.until("ended x")
        await until(lambda: not _begun_here(app))
        assert bench.rows() == [taken]


# Cancellation


@pytest.mark.threat("I10")
async def test_a_call_taken_back_before_its_claim_is_dropped(bench: Bench) -> None:
    bench.tool("pay", WAITS, **WRITE)
    async with bench.talking() as (_, session):
        await session.cancel(["c1"])
        answer = await one(session, "pay", None, "c1")
    assert (error_of(answer), bench.steps()) == ("CANCELLED", [])
    assert answer.error is not None
    assert answer.error.partial_side_effects is False


@pytest.mark.threat("I10")
@pytest.mark.parametrize("how", ["cancel", "interrupt"])
async def test_a_running_read_stops(bench: Bench, how: str) -> None:
    bench.tool("look", WAITS, **READ)
    async with bench.talking() as (_, session):
        asked = asyncio.ensure_future(one(session, "look", None, "c1"))
        await bench.until("began x")
        await (session.cancel(["c1"]) if how == "cancel" else session.interrupt())
        assert error_of(await asked) == "CANCELLED"
        assert bench.states() == [CallState.RELEASED]
    assert bench.steps() == ["began x"]


@pytest.mark.threat("I10")
@pytest.mark.parametrize(
    ("downstream", "told", "state"),
    [("none", "OUTCOME_UNKNOWN", "unknown"), ("key", "CANCELLED", "released"), ("natural", "CANCELLED", "released")],
)
async def test_a_running_write_that_may_be_stopped_is_stopped(
    bench: Bench, downstream: str, told: str, state: str
) -> None:
    bench.tool("pay", WAITS, **WRITE, interruptible=True, downstream=downstream)
    async with bench.talking() as (_, session):
        asked = asyncio.ensure_future(one(session, "pay", None, "c1"))
        await bench.until("began x")
        await session.cancel(["c1"])
        assert error_of(await asked) == told
        assert bench.states() == [state]
    assert bench.steps() == ["began x"]


@pytest.mark.threat("I10")
async def test_a_stopped_write_that_ends_all_the_same_settles_its_row(bench: Bench) -> None:
    bench.tool("pay", SWALLOWS, **WRITE, interruptible=True, downstream="none")
    async with bench.talking() as (_, session):
        asked = asyncio.ensure_future(one(session, "pay", None, "c1"))
        await bench.until("began x")
        await session.interrupt()
        assert error_of(await asked) == "OUTCOME_UNKNOWN"
        bench.go()
        await until(lambda: bench.states() == [CallState.DONE])


@pytest.mark.threat("I10")
@pytest.mark.parametrize("how", ["cancel", "interrupt"])
async def test_a_running_write_that_may_not_be_stopped_runs_to_its_end_and_is_recorded(bench: Bench, how: str) -> None:
    bench.tool("pay", WAITS, **WRITE)
    async with bench.talking() as (_, session):
        asked = asyncio.ensure_future(one(session, "pay", None, "c1"))
        await bench.until("began x")
        await (session.cancel(["c1"]) if how == "cancel" else session.interrupt())
        bench.go()
        assert (await asked).data == {"done": "x"}
        assert bench.states() == [CallState.DONE]


@pytest.mark.threat("I10")
@pytest.mark.parametrize(("interruptible", "ran"), [(True, False), (False, True)])
async def test_a_write_that_waits_behind_another_is_dropped_if_it_may_be_stopped(
    bench: Bench, interruptible: bool, ran: bool
) -> None:
    bench.tool("pay", WAITS, **WRITE).tool("send", WAITS, **WRITE, interruptible=interruptible)
    async with bench.talking() as (_, session):
        calls = [call("pay", {"name": "first"}, "c1"), call("send", {"name": "second"}, "c2")]
        asked = asyncio.ensure_future(session.answer(calls))
        await bench.until("began first")
        await session.cancel(["c2"])
        bench.go()
        first, second = await asked
    assert first.ok
    assert error_of(second) == ("ok" if ran else "CANCELLED")
    assert ("began second" in bench.steps()) is ran
    assert second.error is None or second.error.partial_side_effects is False


@pytest.mark.threat("I10", "I08")
async def test_a_call_taken_back_between_two_attempts_is_not_tried_again(bench: Bench) -> None:
    bench.tool("look", FAILS_AT_FIRST, **READ, timeoutMs=60_000)
    async with bench.talking() as (_, session):
        asked = asyncio.ensure_future(one(session, "look", None, "c1"))
        await bench.until("began x")
        for _ in range(3):
            await asyncio.sleep(0)
        await session.cancel(["c1"])
        async with asyncio.timeout(10):  # the next attempt would be due in 30 s
            assert error_of(await asked) == "CANCELLED"
        assert bench.states() == [CallState.RELEASED]
    assert bench.steps() == ["began x"]


@pytest.mark.threat("I10")
async def test_taking_back_a_call_that_has_ended_changes_nothing(bench: Bench) -> None:
    bench.tool("pay", "pass", **WRITE)
    async with bench.talking() as (_, session):
        assert (await one(session, "pay", None, "c1")).ok
        await session.cancel(["c1"])
        again = await one(session, "pay", None, "c1")
        assert bench.states() == [CallState.DONE]
    assert again.data == {"done": "x"}
    assert bench.steps() == ["began x", "ended x"]


# The caller goes away


@pytest.mark.threat("I10")
@pytest.mark.parametrize(
    ("fields", "ends", "state"),
    [
        (READ, False, "released"),
        (WRITE, True, "done"),
        ({**WRITE, "interruptible": True, "downstream": "none"}, False, "unknown"),
    ],
)
async def test_when_the_caller_goes_away_its_call_follows_the_rule_of_its_tool(
    bench: Bench, fields: dict[str, Any], ends: bool, state: str
) -> None:
    bench.tool("act", WAITS, **fields)
    async with bench.talking() as (app, session):
        asked = asyncio.ensure_future(one(session, "act", None, "c1"))
        await bench.until("began x")
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        if ends:
            bench.go()
        await until(lambda: bench.states() == [state])
        await until(lambda: not _begun_here(app))
        assert not app._shared._active, "its place is free again"
    assert ("ended x" in bench.steps()) is ends


@pytest.mark.threat("I10")
@pytest.mark.parametrize("yields", range(8))
async def test_a_caller_that_goes_away_at_any_moment_leaves_nothing_open(bench: Bench, yields: int) -> None:
    bench.tool("pay", "await asyncio.sleep(0)", **WRITE)
    async with bench.talking() as (app, session):
        calls = [call("pay", {"name": name}, name) for name in ("a", "b", "c")]
        asked = asyncio.ensure_future(session.answer(calls))
        for _ in range(yields):
            await asyncio.sleep(0)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        await until(lambda: not _begun_here(app))
        assert set(bench.states()) <= {CallState.DONE, CallState.RELEASED}
        assert not app._shared._active
        ended = sorted(step.split()[1] for step in bench.steps() if step.startswith("ended"))
        assert ended == sorted(row.call_id for row in bench.rows() if row.state is CallState.DONE)


async def test_queued_writes_have_leases_that_grow_by_one_call_each(bench: Bench) -> None:
    """A worker that dies must not be waited for longer than its work could have taken."""
    bench.tool("pay", "pass", **WRITE, timeoutMs=1_000)
    async with bench.talking() as (_, session):
        await session.answer([call("pay", {"name": str(number)}, str(number)) for number in range(5)])
        leases = sorted(row.lease_ms for row in bench.rows())
    assert leases == [3_000 * number for number in range(1, 6)]


def test_tools_that_may_not_be_stopped_run_in_one_event_loop_after_another(tmp_path: Path) -> None:
    bench = Bench(tmp_path, durable=False).tool("pay", "await asyncio.sleep(0.001)", **WRITE)

    async def pay() -> str:
        async with bench.talking() as (_, session):
            return error_of(await one(session, "pay", None, "c1"))

    outcomes = []
    for _ in range(2):
        bench.store = MemoryStore()
        outcomes.append(asyncio.run(pay()))
    assert outcomes == ["ok", "ok"]


async def test_a_read_that_was_released_and_is_claimed_anew_is_safe_from_its_last_worker(tmp_path: Path) -> None:
    bench = Bench(tmp_path, durable=False).tool("look", WAITS, **READ, timeoutMs=40)
    async with bench.talking() as (_, session):
        await one(session, "look", None, "c1")
        [before] = bench.rows()
        await one(session, "look", None, "c1")
        [after] = bench.rows()
    assert after.fence == before.fence + 1

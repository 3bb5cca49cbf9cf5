"""Metrics, counted by real calls: every way in which a call is decided has its number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import ANN, BOB, Workshop, call, one, running, talking

from ambidex import Orchestrator, Registry
from ambidex.audit.events import Event, EventKind
from ambidex.audit.log import StoreLog, parsed
from ambidex.audit.metrics import _BUDGETS, count, observe
from ambidex.audit.prometheus import exposition
from ambidex.contracts.call import Mode
from ambidex.contracts.faults import ErrorType
from ambidex.ledger.finish import LOOK_UP_SLOW, TOOL_SLOW, TURN_SLOW
from ambidex.policy.ladder import AFTER_IDENTITY, BEFORE_IDENTITY
from ambidex.registry.counts import Counts
from ambidex.testing import FakeClock

FINDING = """\
from ambidex import ErrorType, fail, ok

async def execute(args, context):
    if args["name"] == "broken":
        raise RuntimeError("a bug")
    if args["name"] == "absent":
        return fail(ErrorType.NOT_FOUND, "there is none")
    return ok({"results": [{"id": letter} for letter in args["name"]]})
"""


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).reading("find", handler=FINDING).writing("pay").gated("send")


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory:" if request.param == "memory" else f"sqlite:{tmp_path / 'calls.db'}"


def row(registry: Registry, tool: str) -> dict[str, Any]:
    counts: dict[str, Any] = registry.metrics()["tools"][tool]
    return counts


def from_the_audit(app: Orchestrator) -> dict[str, Any]:
    """The same numbers, counted from the lines that were recorded."""
    counts = Counts(app.registry._specs)
    for line in StoreLog(app._shared.runner.store).read():
        count(counts, parsed(line))
    return {"registryVersion": app.registry.version, **counts.plain()}


async def test_results_and_empty_answers_of_a_look_up_are_counted(shop: Workshop, store: str) -> None:
    async with talking(shop.build(), store=store) as (app, session, _):
        for name in ("abc", "", "d"):
            await one(session, "find", {"name": name})
        found = row(app.registry, "find")
    assert (found["calls"], found["ok"], found["results"], found["empty"]) == (3, 3, 4, 1)
    assert found["latency"]["count"] == 3


async def test_failures_of_a_handler_are_counted_by_type_and_are_no_empty_answers(shop: Workshop, store: str) -> None:
    async with talking(shop.build(), store=store) as (app, session, _):
        for name in ("broken", "absent"):
            await one(session, "find", {"name": name})
        found = row(app.registry, "find")
    assert found["errors"] == {"INTERNAL": 1, "NOT_FOUND": 1}
    assert (found["failed"], found["refused"], found["empty"]) == (2, 0, 0)
    assert found["latency"]["count"] == 2, "a failure takes time too"


async def test_refusals_are_counted_by_rule_and_by_type(shop: Workshop, store: str) -> None:
    async with talking(shop.build(), store=store) as (app, session, _):
        await one(session, "find", {"nome": "x"})
        await one(session, "find", '{"name": ')
        await one(session, "fnd")
        found, unknown = row(app.registry, "find"), row(app.registry, "unknown")
    assert found["refusals"] == {"arguments_are_valid": 1, "arguments_are_json": 1}
    assert found["errors"] == {"VALIDATION": 2}
    assert unknown["refusals"] == {"tool_is_known": 1}
    assert found["latency"]["count"] == 0, "what did not run took no time"


async def test_loops_are_counted(shop: Workshop) -> None:
    async with talking(shop.build()) as (app, session, _):
        for _attempt in range(3):
            await one(session, "find", {"name": "x"})
        found = row(app.registry, "find")
    assert (found["ok"], found["loops"], found["refusals"]) == (2, 1, {"call_is_no_loop": 1})


async def test_a_duplicate_is_counted_and_its_call_counts_once(shop: Workshop, store: str) -> None:
    async with talking(shop.build(), store=store) as (app, session, _):
        for id in ("c1", "c1", "c2"):
            await session.answer([call("pay", id=id)])
        paid = row(app.registry, "pay")
    assert (paid["calls"], paid["ok"], paid["duplicates"]) == (3, 1, 2)
    assert len(shop.runs("pay")) == 1


async def test_confirmations_are_counted_from_the_request_to_its_end(shop: Workshop, store: str) -> None:
    clock = FakeClock()
    async with talking(shop.build(), store=store, clock=clock) as (app, session, _):
        for name in ("a", "b", "c"):
            await one(session, "send", {"name": name})
        first, second, _third = await session.confirmations()
        await session.approve(first.token)
        await session.reject(second.token)
        clock.advance(3_600)
        assert await session.confirmations() == []
        sent = row(app.registry, "send")
    assert sent["confirmations"] == {"requested": 3, "approved": 1, "rejected": 1, "expired": 1}
    assert (sent["calls"], sent["ok"]) == (4, 1), "a call that was approved is decided twice: it waits, then it runs"


async def test_sessions_and_turns_are_counted_by_mode(shop: Workshop, store: str) -> None:
    async with running(shop.build(), store=store) as app:
        text, voice = await app.open(mode="text", user=ANN), await app.open(mode="voice", user=BOB)
        for session in (text, text, voice):
            await session.begin_turn("hello")
        await app.open(mode="voice", user=BOB, resume=voice.resume_token)
        await text.close()
        sessions = app.registry.metrics()["sessions"]
    assert sessions == {
        "text": {"open": 0, "opened": 1, "resumed": 0, "ended": 1, "turns": 2},
        "voice": {"open": 1, "opened": 1, "resumed": 1, "ended": 0, "turns": 1},
    }


async def test_metrics_and_audit_never_disagree(shop: Workshop, store: str) -> None:
    registry = shop.build()
    async with talking(registry, store=store) as (app, session, _):
        for name, args in [("find", {"name": "ab"}), ("pay", None), ("pay", None), ("send", None), ("nope", None)]:
            await one(session, name, args)
        [request] = await session.confirmations()
        await session.approve("wrong")
        await session.approve(request.token)
        await session.close()
        counted, recorded = registry.metrics(), from_the_audit(app)
    assert counted == recorded
    assert counted["tools"]["send"]["ok"] == 1


async def test_each_registry_of_a_process_has_its_own_numbers(shop: Workshop) -> None:
    old = shop.build()
    new = shop.reading("added").build()
    async with talking(old, config={"environment": "production"}) as (app, session, _):
        app.use(new)
        await one(session, "find")
        later = await app.open(mode="text", user=ANN)
        await later.begin_turn("hello")
        await one(later, "added")
    assert row(old, "find")["ok"] == row(new, "added")["ok"] == 1
    assert row(new, "find")["ok"] == 0


def test_a_session_of_another_processs_registry_counts_in_ours(shop: Workshop) -> None:
    registry = shop.build()
    refused = Event(event=EventKind.CALL_REFUSED, tool="find", registry_version="1.0.elsewhere", rule="turn_is_open")
    observe([refused], lambda _: None)
    assert row(registry, "find")["calls"] == 0, "without any registry there is nowhere to count"
    shared = Orchestrator(registry, config={})._shared
    observe([refused], shared._registry_of)
    assert row(registry, "find")["calls"] == 1


def test_soft_budgets_are_counted_by_their_name(shop: Workshop) -> None:
    counts = Counts(shop.build()._specs)
    for facts in ({TOOL_SLOW: True}, {TOOL_SLOW: True, LOOK_UP_SLOW: True}, {TURN_SLOW: True, "late": True}, None):
        count(counts, Event(event=EventKind.CALL_FINISHED, tool="find", ok=True, duration=1.0, facts=facts))
    assert counts.plain()["tools"]["find"]["overBudget"] == {"tool": 2, "retrieval": 1, "turn": 1}


def test_every_soft_budget_of_the_pipeline_is_known() -> None:
    assert set(_BUDGETS) == {TOOL_SLOW, LOOK_UP_SLOW, TURN_SLOW}


def test_a_call_that_recovery_ended_is_an_error_without_a_duration(shop: Workshop) -> None:
    counts = Counts(shop.build()._specs)
    lost = Event(event=EventKind.CALL_FINISHED, tool="pay", ok=False, error_type=ErrorType.OUTCOME_UNKNOWN)
    count(counts, lost)
    paid = counts.plain()["tools"]["pay"]
    assert (paid["failed"], paid["errors"], paid["latency"]["count"]) == (1, {"OUTCOME_UNKNOWN": 1}, 0)


@pytest.mark.parametrize("kind", [EventKind.CALL_STARTED, EventKind.LATE_RESULT, EventKind.TOOL_EVENT])
def test_what_is_no_end_of_a_call_is_not_counted(shop: Workshop, kind: EventKind) -> None:
    registry = shop.build()
    before = registry.metrics()
    count(registry._counts, Event(event=kind, tool="find", mode=Mode.TEXT, ok=True, duration=1.0))
    assert registry.metrics() == before


@pytest.mark.threat("L05")
def test_a_hundred_thousand_made_up_names_are_one_series(shop: Workshop) -> None:
    registry = shop.build()

    def made_up(number: int) -> list[Event]:
        told = {"tool": f"made_up_{number}", "registry_version": registry.version, "mode": Mode.TEXT}
        error = {"ok": False, "error_type": ErrorType.NOT_FOUND}
        return [Event(event=EventKind.CALL_REFUSED, rule="tool_is_known", **told, **error)]  # type: ignore[arg-type]

    observe(made_up(0), lambda _: registry)
    series = len(exposition(registry.metrics()).splitlines())
    for number in range(1, 100_000):
        observe(made_up(number), lambda _: registry)
    assert len(exposition(registry.metrics()).splitlines()) == series
    assert row(registry, "unknown")["calls"] == 100_000
    assert len(registry._counts._tools) == 1, "not even memory grows"


@pytest.mark.threat("L05")
async def test_a_model_that_makes_up_names_and_ids_adds_no_series(shop: Workshop) -> None:
    registry = shop.build()
    async with talking(registry) as (_app, session, _):
        for number in range(20):
            await one(session, f"first {number}")
        series = len(exposition(registry.metrics()).splitlines())
        for number in range(500):
            await session.answer([call(f"tool {number}\n{{}}", {f"key{number}": number}, id=f"call {number}")])
        page, unknown = exposition(registry.metrics()), row(registry, "unknown")
    assert len(page.splitlines()) == series
    assert "first" not in page
    assert unknown["calls"] == 520
    assert set(unknown["refusals"]) <= {gate.__name__ for gate in (*BEFORE_IDENTITY, *AFTER_IDENTITY)}

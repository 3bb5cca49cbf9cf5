"""Each gate, met by a real call: what it refuses, in which words, and that nothing ran."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.apps import ANN, Workshop, call, error_of, one, running, talking
from tests.support.trail import audited

from ambidex import Orchestrator, User
from ambidex.session.session import Session

TOP_K = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "top_k": {"type": "integer", "minimum": 1, "maximum": 10, "default": 5}},
    "additionalProperties": False,
}
SHOW = """\
from ambidex import ok

async def execute(args, context):
    return ok({"got": dict(args)})
"""
WAITING = """\
import asyncio
from ambidex import ok

async def execute(args, context):
    await context.gate.wait()
    return ok({})
"""


@pytest.mark.parametrize(
    "args", ["{", "[1]", '{"name": "x"} {}', '{"name": 1, "name": 2}', '{"name": NaN}', b"\xff", "null"]
)
async def test_arguments_that_are_not_one_json_object_are_answered_and_never_run(workshop: Workshop, args: Any) -> None:
    async with talking(workshop.reading().build()) as (_, session, _):
        assert error_of(await one(session, "look", args)) == "VALIDATION"
    assert workshop.runs("look") == []


@pytest.mark.parametrize("name", ["lok", "LOOK", "look\n", "lооk", "", "look" * 20])
async def test_a_name_that_is_not_exactly_a_tools_is_not_found(workshop: Workshop, name: str) -> None:
    async with talking(workshop.reading().build()) as (_, session, _):
        assert error_of(await one(session, name)) == "NOT_FOUND"


async def test_a_misspelt_name_is_answered_with_the_nearest_one(workshop: Workshop) -> None:
    async with talking(workshop.reading().build()) as (_, session, _):
        fault = (await one(session, "lok")).error
    assert fault is not None
    assert "look" in str(fault.suggestion)


async def test_a_call_before_the_first_turn_is_session_inactive(workshop: Workshop) -> None:
    async with talking(workshop.reading().build(), said=None) as (_, session, _):
        assert error_of(await one(session, "look")) == "SESSION_INACTIVE"
        await session.begin_turn("now")
        assert error_of(await one(session, "look")) == "ok"


async def test_a_call_after_the_end_is_session_inactive(workshop: Workshop) -> None:
    async with talking(workshop.reading().build()) as (_, session, _):
        await session.close()
        assert error_of(await one(session, "look")) == "SESSION_INACTIVE"


@pytest.mark.threat("S02")
async def test_a_forced_call_of_another_modes_tool_is_mode_restricted(workshop: Workshop) -> None:
    registry = workshop.reading("look", allowedModes=["text"]).reading("hear", allowedModes=["voice"]).build()
    for mode, allowed, other in (("text", "look", "hear"), ("voice", "hear", "look")):
        declared = [schema["function"]["name"] for schema in registry.provider_schemas("openai", mode=mode)]
        assert declared == [allowed]
        async with talking(registry, mode=mode) as (_, session, _):
            assert error_of(await one(session, allowed)) == "ok"
            assert error_of(await one(session, other)) == "MODE_RESTRICTED"
    assert len(workshop.runs("look")) == len(workshop.runs("hear")) == 1


async def test_a_condition_decides_whether_a_tool_is_available_and_a_failing_one_says_no(workshop: Workshop) -> None:
    workshop.reading("look", availability="user.id == 'ann'").reading("break", availability="1 / 0 == 1")
    registry = workshop.build()
    for user, given_ in ((ANN, "ok"), (User("bob"), "UNAVAILABLE")):
        async with talking(registry, user=user) as (_, session, _):
            assert error_of(await one(session, "look")) == given_
            assert error_of(await one(session, "break")) == "UNAVAILABLE"


async def test_a_user_without_the_scope_is_told_so_and_nothing_runs(workshop: Workshop) -> None:
    registry = workshop.reading("look", permissions=["calendar", "mail"]).build()
    async with talking(registry) as (_, session, _):
        fault = (await one(session, "look")).error
        assert fault is not None
        assert fault.type == "UNAVAILABLE"
        assert "mail" in fault.message
        assert "calendar" not in fault.message
    async with talking(registry, user=User("cy", scopes=frozenset({"calendar", "mail"}))) as (_, session, _):
        assert error_of(await one(session, "look")) == "ok"


# Clamps


@pytest.mark.threat("B07")
async def test_a_clamp_happens_before_the_run_and_the_envelope_has_both_values(workshop: Workshop) -> None:
    limits = {"voice": {"top_k": {"maximum": 3}}}
    registry = workshop.reading("look", handler=SHOW, parameters=TOP_K, modeLimits=limits).build()
    for args, asked in (({"top_k": 9}, 9), ({}, 5)):
        async with talking(registry, mode="voice") as (_, session, _):
            answer = await one(session, "look", args)
        assert answer.data == {"got": {"top_k": 3}}
        assert answer.meta is not None
        assert str(asked) in str(answer.meta.clamped)
        assert "3" in str(answer.meta.clamped)
        assert any("top_k" in notice for notice in answer.notices)
    async with talking(registry, mode="text") as (_, session, _):
        answer = await one(session, "look", {"top_k": 9})
    assert answer.data == {"got": {"top_k": 9}}
    assert answer.meta is not None
    assert answer.meta.clamped is None


@pytest.mark.threat("B08")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    args=st.one_of(
        st.fixed_dictionaries({"top_k": st.one_of(st.integers(), st.floats(), st.text(max_size=3), st.booleans())}),
        st.dictionaries(st.sampled_from(["top_k", "limit", "topK", "TOP_K"]), st.integers(1, 99), max_size=2),
    )
)
async def test_no_type_and_no_name_gets_round_a_clamp(bounded: Session, args: dict[str, Any]) -> None:
    await bounded.begin_turn("again")
    answer = await one(bounded, "look", args)
    if answer.ok:
        assert set(args) <= {"top_k"}
        assert isinstance(answer.data, dict)
        assert answer.data["got"]["top_k"] in (1, 2, 3)
    else:
        assert error_of(answer) == "VALIDATION"


@pytest.fixture
async def bounded(workshop: Workshop) -> Any:
    limits = {"voice": {"top_k": {"maximum": 3}}}
    registry = workshop.reading("look", handler=SHOW, parameters=TOP_K, modeLimits=limits).build()
    async with talking(registry, mode="voice") as (_, session, _):
        yield session


# Room


class Gate:
    """A capability: handlers wait for it, and tests open it."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    async def wait(self) -> None:
        await self._event.wait()

    def open(self) -> None:
        self._event.set()


async def settled(app: Orchestrator, name: str, running_: int) -> None:
    """Until so many calls of the tool run."""
    while app._shared._active[name] != running_:  # noqa: ASYNC110 - the tool has no event to offer
        await asyncio.sleep(0)


async def test_a_tool_runs_at_most_so_often_at_once_and_has_room_again_afterwards(workshop: Workshop) -> None:
    registry = workshop.tool("wait", handler=WAITING, maxConcurrency=2).build()
    gate = Gate()
    async with talking(registry, capabilities={"gate": gate}) as (app, session, _):
        running_ = [asyncio.ensure_future(one(session, "wait", {"name": str(number)})) for number in range(2)]
        await settled(app, "wait", 2)
        refused = await one(session, "wait", {"name": "third"})
        assert error_of(refused) == "RATE_LIMIT"
        assert refused.error is not None
        assert refused.error.retryable
        assert refused.error.retry_after_ms
        gate.open()
        assert [error_of(await task) for task in running_] == ["ok", "ok"]
        assert error_of(await one(session, "wait", {"name": "fourth"})) == "ok"


async def test_a_caller_that_goes_away_while_the_store_decides_leaves_no_place_taken(workshop: Workshop) -> None:
    registry = workshop.reading(maxConcurrency=1).build()
    store = f"sqlite:{workshop.root / 'a.db'}"
    async with talking(registry, store=store) as (app, session, _):
        for _ in range(5):
            asking = asyncio.ensure_future(one(session, "look"))
            await asyncio.sleep(0)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        await asyncio.wait_for(settled(app, "look", 0), 5)


# Budgets of time


@pytest.mark.threat("B11")
async def test_a_tool_slower_than_its_budget_is_told_and_flagged_and_still_answers(workshop: Workshop) -> None:
    registry = workshop.reading("quick").reading("slow", latencyBudgetMs=0.0001).build()
    async with talking(registry) as (app, session, _):
        quick, slow = await one(session, "quick"), await one(session, "slow")
        flags = {line["tool"]: line.get("facts") for line in await audited(app, "call_finished")}
    assert quick.ok
    assert slow.ok
    assert quick.notices == ()
    assert "longer than it should" in slow.notices[0]
    assert flags == {"quick": None, "slow": {"overBudget": True}}


@pytest.mark.threat("B11")
@pytest.mark.parametrize("mode", ["voice", "text"])
async def test_a_look_up_slower_than_its_mode_expects_is_told_and_flagged(workshop: Workshop, mode: str) -> None:
    registry = workshop.reading("look").tool("help").build()
    async with talking(registry, mode=mode, config={f"limits.{mode}.retrieval_ms": 0}) as (app, session, _):
        look, other = await one(session, "look"), await one(session, "help")
        flags = {line["tool"]: line.get("facts") for line in await audited(app, "call_finished")}
    assert look.ok
    assert "A look-up should take at most 0 ms" in look.notices[0]
    assert other.notices == ()
    assert flags == {"look": {"overRetrievalBudget": True}, "help": None}


@pytest.mark.threat("B11")
async def test_a_slow_turn_is_told_once_with_the_next_result(workshop: Workshop) -> None:
    registry = workshop.tool("help").build()
    async with running(registry) as app:
        limits = app._shared.limits
        app._shared.limits = {m: dataclasses.replace(limit, turn_ms=0.00001) for m, limit in limits.items()}
        session = await app.open(mode="voice", user=ANN)
        await session.begin_turn("help me")
        answers = [await one(session, "help", {"name": str(number)}) for number in range(3)]
        flagged = [line.get("facts", {}).get("overTurnBudget", False) for line in await audited(app, "call_finished")]
    assert [len(answer.notices) for answer in answers] == [0, 1, 0]
    assert "answer now" in answers[1].notices[0]
    assert flagged == [False, True, False]


@pytest.mark.threat("B11")
async def test_the_hard_limit_is_another_one_a_read_past_it_is_transient(workshop: Workshop) -> None:
    forever = "import asyncio\n\nasync def execute(args, context):\n    await asyncio.Event().wait()\n"
    async with talking(workshop.reading("hang", handler=forever, latencyBudgetMs=10, timeoutMs=20).build()) as (
        _,
        session,
        _,
    ):
        answer = await one(session, "hang")
    assert error_of(answer) == "TRANSIENT"
    assert answer.error is not None
    assert answer.error.retryable
    assert not answer.error.partial_side_effects


async def test_calls_of_one_message_climb_in_the_order_asked(workshop: Workshop) -> None:
    async with talking(workshop.reading().build(), mode="voice") as (_, session, _):
        answers = await session.answer([call("look", {"name": str(number)}) for number in range(4)])
    assert [error_of(answer) for answer in answers] == ["ok", "ok", "BUDGET_EXCEEDED", "BUDGET_EXCEEDED"]

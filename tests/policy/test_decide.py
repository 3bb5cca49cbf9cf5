"""One transaction decides: budgets hold over messages, reconnects, workers and parallel calls."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.apps import ANN, Workshop, call, error_of, one, running, talking
from tests.support.trail import audited

from ambidex import Registry, ToolResponse
from ambidex.contracts.call import Mode
from ambidex.ledger.spaces import REFUSED, TURNS, below, scope_of
from ambidex.policy.limits import DEFAULTS
from ambidex.session.session import Session
from ambidex.stores.memory import MemoryStore
from ambidex.testing import FakeClock

SHIPPED = Path(__file__).parents[2] / "tools"
HANG_UP = """\
from ambidex import Intent, ok

async def execute(args, context):
    return ok({}, intents=[Intent.END_VOICE_SESSION()])
"""
NAMES = {"r": "look", "u": "help", "w": "pay", "d": "reg_describe", "x": "no_such_tool"}


@pytest.fixture
def town(workshop: Workshop) -> Registry:
    """One tool of each kind that budgets tell apart."""
    shutil.copytree(SHIPPED / "reg-describe", workshop.root / "tools" / "reg-describe")
    return workshop.reading().tool("help").writing().tool("hang-up", handler=HANG_UP).build()


async def make(session: Session, kind: str, number: int) -> ToolResponse:
    """A call of this kind, with arguments that no other number has."""
    if kind == "d":
        return await one(
            session, "reg_describe", {"toolId": ("look", "help", "pay", "hang_up", "reg_describe")[number % 5]}
        )
    return await one(session, NAMES[kind], {"name": str(number)}, id=f"{session.turn}-{number}")


# Counting


@pytest.mark.threat("B04")
@pytest.mark.parametrize(
    ("mode", "asked", "let_through"),
    [
        ("voice", "rrr", "++-"),
        ("voice", "uuuu", "+++-"),
        ("voice", "rruu", "+++-"),
        ("voice", "uuur", "+++-"),
        ("voice", "wrur", "+++-"),
        ("voice", "rrrww", "++-+-"),
        ("voice", "dddr", "++-+"),
        ("voice", "uuudd", "+++++"),
        ("text", "rrrrrr", "+++++-"),
        ("text", "uuuuuuuuu", "++++++++-"),
        ("text", "rrrrruuur", "++++++++-"),
        ("text", "uuuuuurrr", "++++++++-"),
        ("text", "dddddd", "+++++-"),
        ("text", "uuuuuuuud", "+++++++++"),
    ],
)
async def test_both_limits_hold_in_both_modes(town: Registry, mode: str, asked: str, let_through: str) -> None:
    async with talking(town, mode=mode) as (_, session, _):
        answers = [await make(session, kind, number) for number, kind in enumerate(asked)]
    assert ["+" if answer.ok else error_of(answer) for answer in answers] == [
        "+" if sign == "+" else "BUDGET_EXCEEDED" for sign in let_through
    ]


@pytest.fixture
async def voice(town: Registry) -> AsyncIterator[Session]:
    async with talking(town, mode="voice") as (_, session, _):
        yield session


@pytest.fixture
async def text(town: Registry) -> AsyncIterator[Session]:
    async with talking(town, mode="text") as (_, session, _):
        yield session


@pytest.mark.threat("B04", "B05")
@pytest.mark.parametrize("mode", ["voice", "text"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=st.lists(st.sampled_from("rruuwxx"), max_size=25))
async def test_any_mix_of_calls_is_decided_as_a_simple_count_would(
    voice: Session, text: Session, mode: str, asked: list[str]
) -> None:
    session, limits = (voice if mode == "voice" else text), DEFAULTS[Mode(mode)]
    await session.begin_turn("again")
    retrieval = total = refused = 0
    for number, kind in enumerate(asked):
        fits = kind != "x" and total < limits.total and not (kind == "r" and retrieval >= limits.retrieval)
        given_ = error_of(await make(session, kind, number))
        if refused >= limits.refusals:
            expected = "BUDGET_EXCEEDED"
        else:
            expected = "ok" if fits else "NOT_FOUND" if kind == "x" else "BUDGET_EXCEEDED"
        assert given_ == expected
        ran = given_ == "ok"
        retrieval, total, refused = retrieval + (ran and kind == "r"), total + ran, refused + (not ran)


@pytest.mark.threat("B01")
async def test_a_third_look_up_is_refused_although_each_came_in_its_own_message(town: Registry) -> None:
    async with talking(town, mode="voice") as (_, session, _):
        answers = [await session.answer([call("look", {"name": str(number)})]) for number in range(3)]
    assert [error_of(answer) for [answer] in answers] == ["ok", "ok", "BUDGET_EXCEEDED"]


@pytest.mark.threat("B02")
@pytest.mark.parametrize("way", ["resume", "attach"])
async def test_a_reconnect_resets_no_counter(town: Registry, workshop: Workshop, way: str) -> None:
    store = f"sqlite:{workshop.root / 'shared.db'}"
    async with talking(town, mode="voice", store=store) as (_, session, _), running(town, store=store) as elsewhere:
        await make(session, "r", 1)
        await make(session, "r", 2)
        if way == "resume":
            again = await elsewhere.open(mode="voice", user=ANN, resume=session.resume_token)
        else:
            again = await elsewhere.attach(session.id, user=ANN)
        assert again.turn == session.turn
        assert error_of(await make(again, "r", 3)) == "BUDGET_EXCEEDED"


@pytest.mark.threat("B03")
@pytest.mark.parametrize("store", ["memory:", "sqlite"])
@pytest.mark.parametrize("apart", [True, False])
async def test_twenty_calls_at_once_pass_no_limit(town: Registry, workshop: Workshop, store: str, apart: bool) -> None:
    url = store if store == "memory:" else f"sqlite:{workshop.root / 'a.db'}"
    calls = [call("look" if number % 2 else "help", {"name": str(number)}, id=str(number)) for number in range(20)]
    async with talking(town, mode="voice", store=url) as (_, session, _):
        if apart:
            answers = [answer for [answer] in await asyncio.gather(*(session.answer([one_]) for one_ in calls))]
        else:
            answers = await session.answer(calls)
    assert sum(answer.ok for answer in answers) == 3
    assert len(workshop.runs("look")) <= 2
    assert len(workshop.runs("look")) + len(workshop.runs("help")) == 3
    assert {error_of(answer) for answer in answers} <= {"ok", "BUDGET_EXCEEDED"}


@pytest.mark.threat("B03")
async def test_twenty_calls_at_once_from_two_workers_pass_no_limit(town: Registry, workshop: Workshop) -> None:
    store = f"sqlite:{workshop.root / 'a.db'}"
    async with talking(town, mode="voice", store=store) as (_, session, _), running(town, store=store) as elsewhere:
        sessions = [session, await elsewhere.attach(session.id, user=ANN)]
        asked = (one(sessions[number % 2], "look", {"name": str(number)}, id=str(number)) for number in range(20))
        answers = await asyncio.gather(*asked)
    assert sum(answer.ok for answer in answers) == len(workshop.runs("look")) == 2


@pytest.mark.threat("B06")
async def test_questions_about_tools_have_a_cap_of_their_own_and_cost_no_call(town: Registry) -> None:
    async with talking(town, mode="voice") as (_, session, _):
        asked = [error_of(await make(session, "d", number)) for number in range(4)]
        acted = [error_of(await make(session, "u", number)) for number in range(4)]
    assert asked == ["ok", "ok", "BUDGET_EXCEEDED", "BUDGET_EXCEEDED"]
    assert acted == ["ok", "ok", "ok", "BUDGET_EXCEEDED"]


# Hanging up


async def test_a_user_can_hang_up_when_the_turn_is_used_up(town: Registry) -> None:
    async with talking(town, mode="voice") as (_, session, _):
        for number in range(3):
            await make(session, "u", number)
        assert error_of(await make(session, "u", 4)) == "BUDGET_EXCEEDED"
        assert error_of(await one(session, "hang_up", {"name": "1"})) == "ok"
        assert error_of(await one(session, "hang_up", {"name": "2"})) == "BUDGET_EXCEEDED"
        assert session.state.get("pendingEndVoiceSession") == "current_turn"


async def test_the_one_call_that_hangs_up_costs_none_of_the_others(town: Registry) -> None:
    async with talking(town, mode="voice") as (_, session, _):
        assert error_of(await one(session, "hang_up")) == "ok"
        assert [error_of(await make(session, "u", number)) for number in range(4)] == ["ok"] * 3 + ["BUDGET_EXCEEDED"]


async def test_a_user_can_hang_up_after_ten_refusals(town: Registry) -> None:
    async with talking(town, mode="voice") as (_, session, _):
        for number in range(12):
            await make(session, "x", number)
        assert error_of(await make(session, "u", 1)) == "BUDGET_EXCEEDED"
        assert error_of(await one(session, "hang_up")) == "ok"


async def test_a_refused_attempt_to_hang_up_takes_no_place_among_the_refusals(town: Registry) -> None:
    store = MemoryStore(FakeClock())
    async with talking(town, mode="voice", store=store) as (_, session, _):
        await make(session, "x", 1)
        for _ in range(15):
            assert error_of(await one(session, "hang_up", {"name": 1})) == "VALIDATION"
        await make(session, "x", 2)
        place = below(scope_of(ANN, session.conversation), session.turn)
        turn = store.run(lambda tx: tx.get(TURNS, place))
        kept = store.run(lambda tx: [row.tool for _, row in tx.scan(REFUSED)])
    assert turn is not None
    assert turn.refusals == 2
    assert sorted(kept) == ["hang_up", "no_such_tool", "no_such_tool"]


# Refusals and repeats


@pytest.mark.threat("B05")
async def test_after_ten_refusals_every_call_gets_one_fixed_answer_and_no_row(
    town: Registry, workshop: Workshop
) -> None:
    store = MemoryStore(FakeClock())
    bad = ['{"name": 1}', "{", '{"nam": "x"}', "[]"]
    async with talking(town, store=store) as (_, session, _):
        answers = [await one(session, "look" if number % 3 else "lok", bad[number % 4]) for number in range(1000)]
        good = await one(session, "look")
        rows = store.run(lambda tx: len(tx.scan(REFUSED)))
        turn = store.run(lambda tx: tx.get(TURNS, below(scope_of(ANN, session.conversation), 1)))
        await session.begin_turn("next")
        assert error_of(await one(session, "look")) == "ok"
    assert all(error_of(answer) in ("VALIDATION", "NOT_FOUND") for answer in answers[:10])
    assert {answer.error.message for answer in answers[10:] if answer.error} == {
        "10 calls were refused this turn; its tool use is over"
    }
    assert error_of(good) == "BUDGET_EXCEEDED"
    assert rows == 10
    assert turn is not None
    assert turn.refusals <= 11
    assert turn.calls == ()
    assert len(workshop.runs("look")) == 1


@pytest.mark.threat("B05")
async def test_a_repeat_costs_nothing_and_is_answered_even_after_ten_refusals(
    town: Registry, workshop: Workshop
) -> None:
    async with talking(town, mode="voice") as (_, session, _):
        first = await one(session, "pay", id="p")
        for _ in range(20):
            again = await one(session, "pay", id="p")
            assert again.meta is not None
            assert again.meta.deduplicated
        assert [error_of(await make(session, "u", number)) for number in range(3)] == ["ok", "ok", "BUDGET_EXCEEDED"]
        for number in range(12):
            await make(session, "x", number)
        again = await one(session, "pay", id="p")
    assert again.data == first.data
    assert len(workshop.runs("pay")) == 1


async def test_a_request_for_confirmation_reserves_nothing_and_is_no_refusal(workshop: Workshop) -> None:
    registry = workshop.gated().tool("help").build()
    async with talking(registry, mode="voice") as (_, session, _):
        for _ in range(15):
            assert error_of(await one(session, "send")) == "CONFIRMATION_REQUIRED"
        assert [error_of(await make(session, "u", number)) for number in range(4)] == ["ok"] * 3 + ["BUDGET_EXCEEDED"]
        assert len(await session.confirmations()) == 1


async def test_an_approved_call_costs_its_turn_nothing(workshop: Workshop) -> None:
    registry = workshop.gated().tool("help").build()
    async with talking(registry, mode="voice") as (_, session, _):
        await one(session, "send")
        [request] = await session.confirmations()
        assert error_of(await session.approve(request.token)) == "ok"
        assert [error_of(await make(session, "u", number)) for number in range(4)] == ["ok"] * 3 + ["BUDGET_EXCEEDED"]


async def test_a_call_refused_late_gives_its_reservation_back(workshop: Workshop) -> None:
    limit = {"calls": 1, "windowMs": 60_000, "per": "user"}
    registry = workshop.tool("rare", rateLimit=limit).tool("help").build()
    async with talking(registry, mode="voice", clock=FakeClock()) as (_, session, _):
        given_ = [error_of(await one(session, "rare", {"name": str(number)})) for number in range(3)]
        given_ += [error_of(await make(session, "u", number)) for number in range(3)]
    assert given_ == ["ok", "RATE_LIMIT", "RATE_LIMIT", "ok", "ok", "BUDGET_EXCEEDED"]


@pytest.mark.threat("B01")
async def test_a_turn_is_summed_up_in_the_audit_with_what_it_used(town: Registry) -> None:
    async with talking(town, mode="voice") as (app, session, _):
        for number, kind in enumerate("rudrx"):
            await make(session, kind, number)
        await session.begin_turn("next")
        [summary] = await audited(app, "turn_summary")
    assert summary["turn"] == 1
    counted = {name: summary["facts"][name] for name in ("calls", "retrieval", "total", "discovery", "refusals")}
    assert counted == {"calls": 4, "retrieval": 2, "total": 3, "discovery": 1, "refusals": 1}

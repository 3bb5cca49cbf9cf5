"""Four ways in which the world misbehaves: sockets drop, ids lie, deployments happen, models insist."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import ANN, Workshop, call, error_of, one, running, talking
from tests.support.soak import soak
from tests.support.trail import audited, turn_rows

import ambidex
from ambidex import Refused, ToolResponse
from ambidex.session.session import Session
from ambidex.testing import MemoryTransport

PRODUCTION = {"environment": "production"}


def meta(answer: ToolResponse) -> ambidex.contracts.response.Meta:
    assert answer.meta is not None
    return answer.meta


# 1. Reconnect with replay


@pytest.mark.threat("I05")
@pytest.mark.parametrize("stable", [True, False])
async def test_the_events_of_a_turn_replayed_on_a_new_socket_run_nothing_and_get_their_answers(
    tmp_path: Path, stable: bool
) -> None:
    workshop = Workshop(tmp_path).reading().writing().gated()
    store, registry = f"sqlite:{tmp_path / 'a.db'}", workshop.build()
    events = [
        {"id": "r1", "name": "look", "args": {"name": "ada"}},
        {"id": "w1", "name": "pay", "args": {"name": "ada"}},
        {"id": "r2", "name": "look", "args": {"name": "bob"}},
        {"id": "r3", "name": "look", "args": {"name": "ada"}},
    ]
    async with running(registry, store=store) as app:
        session = await app.open(mode="text", user=ANN)
        await session.begin_turn("please")
        first = await replay(session, events, stable)
    ran = (workshop.runs("look"), workshop.runs("pay"))
    async with running(registry, store=store) as app:
        session = await app.open(mode="text", user=ANN, resume=session.resume_token)
        assert session.epoch == 2
        second = await replay(session, events, stable)
        [turn] = await turn_rows(app)
    assert (workshop.runs("look"), workshop.runs("pay")) == ran
    assert [answer.data for answer in second] == [answer.data for answer in first]
    assert [meta(answer).deduplicated for answer in second] == [True] * len(events)
    assert (turn.retrieval, turn.total) == (3, 4)


async def replay(session: Session, events: list[dict[str, Any]], stable: bool) -> list[ToolResponse]:
    transport = MemoryTransport(session, stable_ids=stable)
    return [answer for event in events for answer in await transport.handle({"calls": [event]})]


@pytest.mark.threat("I05", "S14")
async def test_a_resumed_session_keeps_the_registry_it_began_with(tmp_path: Path) -> None:
    old, new = two_versions(tmp_path)
    async with talking(old.build(), config=PRODUCTION) as (app, session, _):
        pinned = session.registry.version
        first = await one(session, "pay", id="c1")
        app.use(new.build())
        resumed = await app.open(mode="text", user=ANN, resume=session.resume_token)
        assert resumed.registry.version == meta(first).registry_version == pinned != app.registry.version
        replayed = await one(resumed, "pay", id="c1")
        assert replayed.data == first.data
        assert (meta(replayed).deduplicated, meta(replayed).registry_version) == (True, pinned)
        assert error_of(await one(session, "pay", id="c2")) == "SESSION_INACTIVE"
    assert (len(old.runs("pay")), len(new.runs("pay"))) == (1, 0)


async def test_a_resume_token_works_once_and_only_for_its_user(tmp_path: Path) -> None:
    async with talking(Workshop(tmp_path).reading().build()) as (app, session, _):
        token = session.resume_token
        with pytest.raises(Refused) as refused:
            await app.open(mode="text", user=ambidex.User("bob"), resume=token)
        assert refused.value.error.type == "NOT_FOUND"
        await app.open(mode="text", user=ANN, resume=token)
        with pytest.raises(Refused):
            await app.open(mode="text", user=ANN, resume=token)


# 2. Unstable ids


@pytest.mark.threat("I03", "I04")
async def test_ids_that_change_or_repeat_at_random_neither_double_nor_swallow_anything(tmp_path: Path) -> None:
    """A provider without stable ids: each is random, some are used again for other arguments, some are missing."""
    workshop, chance = Workshop(tmp_path).writing().reading(), random.Random(4)
    registry = workshop.build()
    for number in range(soak(5, 100)):
        before = Counter(pay=len(workshop.runs("pay")), look=len(workshop.runs("look")))
        async with talking(registry) as (app, session, _):
            wanted = [("pay", f"p{number}"), ("look", "a"), ("look", "b"), ("pay", f"q{number}")]
            answers = await asked_with_any_id(session, wanted, chance)
            session = await app.open(mode="text", user=ANN, resume=session.resume_token)
            again = await asked_with_any_id(session, wanted, chance)
        assert (
            [answer.data for answer in answers]
            == [answer.data for answer in again]
            == [{"done": name} for _, name in wanted]
        )
        assert len(workshop.runs("pay")) - before["pay"] == 2
        assert len(workshop.runs("look")) - before["look"] == 2


async def asked_with_any_id(
    session: Session, wanted: list[tuple[str, str]], chance: random.Random
) -> list[ToolResponse]:
    transport = MemoryTransport(session, stable_ids=False)
    ids = [None, "1", "1", "call_9", "x" * 600, str(chance.random())]
    events = [{"id": chance.choice(ids), "name": tool, "args": {"name": name}} for tool, name in wanted]
    return [answer for event in events for answer in await transport.handle({"calls": [event]})]


@pytest.mark.threat("I04")
async def test_a_provider_that_counts_its_ids_from_one_on_every_socket_is_understood(tmp_path: Path) -> None:
    """Stable within an epoch only: "1" is another call on each socket, unless it asks the same."""
    workshop = Workshop(tmp_path).writing()
    async with talking(workshop.build()) as (app, session, _):
        assert (await one(session, "pay", {"name": "ada"}, id="1")).data == {"done": "ada"}
        assert error_of(await one(session, "pay", {"name": "bob"}, id="1")) == "CONFLICT"
        session = await app.open(mode="text", user=ANN, resume=session.resume_token)
        assert (await one(session, "pay", {"name": "bob"}, id="1")).data == {"done": "bob"}
        assert meta(await one(session, "pay", {"name": "ada"}, id="2")).deduplicated
        other = await app.open(mode="text", user=ANN)
        await other.begin_turn("pay")
        assert not meta(await one(other, "pay", {"name": "ada"}, id="1")).deduplicated
    assert len(workshop.runs("pay")) == 3


# 3. The registry is replaced under a live session


def two_versions(tmp_path: Path) -> tuple[Workshop, Workshop]:
    return Workshop(tmp_path / "old").writing().reading(), Workshop(tmp_path / "new").writing(version="2.0.0")


@pytest.mark.threat("S14")
async def test_in_production_a_live_session_goes_on_with_its_own_registry(tmp_path: Path) -> None:
    old, new = two_versions(tmp_path)
    async with talking(old.build(), config=PRODUCTION) as (app, session, _):
        app.use(new.build())
        await session.begin_turn("go on")
        assert meta(await one(session, "pay")).tool_version == "1.0.0"
        assert error_of(await one(session, "look")) == "ok"
        fresh = await app.open(mode="text", user=ANN)
        await fresh.begin_turn("hello")
        assert meta(await one(fresh, "pay")).tool_version == "2.0.0"
        assert error_of(await one(fresh, "look")) == "NOT_FOUND"
    assert (len(old.runs("pay")), len(new.runs("pay"))) == (1, 1)


@pytest.mark.threat("S14")
@pytest.mark.parametrize("noticed_by", ["call", "turn", "approval", "resume", "attach"])
async def test_in_development_a_live_session_is_closed_with_both_versions_named(
    tmp_path: Path, noticed_by: str
) -> None:
    old, new = two_versions(tmp_path)
    old.gated()
    async with talking(old.build()) as (app, session, _):
        await one(session, "send")
        [request] = await session.confirmations()
        app.use(new.build())
        message = await turned_away(app, session, noticed_by, request.token)
        assert session.registry.version in message
        assert app.registry.version in message
        [end] = await audited(app, "session_end")
        assert (end["session"], end["facts"]["reason"]) == (session.id, "registry_changed")
        fresh = await app.open(mode="text", user=ANN)
        await fresh.begin_turn("hello")
        assert error_of(await one(fresh, "pay")) == "ok"
    assert old.runs("pay") == old.runs("send") == []


async def turned_away(app: ambidex.Orchestrator, session: Session, how: str, token: str) -> str:
    """What somebody is told who uses a session whose registry was replaced."""
    if how in ("call", "approval"):
        answer = await one(session, "pay") if how == "call" else await session.approve(token)
        assert error_of(answer) == "SESSION_INACTIVE"
        assert answer.error is not None
        return answer.error.message
    ways: dict[str, Callable[[], Awaitable[Any]]] = {
        "turn": lambda: session.begin_turn("go on"),
        "resume": lambda: app.open(mode="text", user=ANN, resume=session.resume_token),
        "attach": lambda: app.attach(session.id, user=ANN),
    }
    with pytest.raises(Refused) as refused:
        await ways[how]()
    assert refused.value.error.type == "SESSION_INACTIVE"
    return refused.value.error.message


@pytest.mark.threat("S14")
async def test_where_the_registry_is_gone_a_session_is_refused_cleanly_and_stays_for_those_who_have_it(
    tmp_path: Path,
) -> None:
    old, new = two_versions(tmp_path)
    store, before = f"sqlite:{tmp_path / 'a.db'}", old.build()
    async with talking(before, store=store, config=PRODUCTION) as (_, session, _):
        await one(session, "pay", id="c1")
    async with running(new.build(), store=store, config=PRODUCTION) as app:
        for attempt in ("resume", "attach"):
            message = await turned_away(app, session, attempt, "")
            assert session.registry.version in message
            assert app.registry.version in message
    async with running(before, store=store, config=PRODUCTION) as app:
        resumed = await app.open(mode="text", user=ANN, resume=session.resume_token)
        assert meta(await one(resumed, "pay", id="c1")).deduplicated
    assert len(old.runs("pay")) == 1


# 4. A model that will not stop


@pytest.mark.threat("B03", "B04")
async def test_twenty_calls_at_once_in_a_voice_turn_stay_within_both_limits(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).reading().tool("help")
    async with talking(workshop.build(), mode="voice", store=f"sqlite:{tmp_path / 'a.db'}") as (_, session, _):
        calls = [call("look" if number % 2 else "help", {"name": str(number)}) for number in range(20)]
        answers = await asyncio.gather(*(session.answer([one_call]) for one_call in calls))
        kinds = Counter(error_of(answer) for [answer] in answers)
    assert kinds == {"ok": 3, "BUDGET_EXCEEDED": 17}
    assert len(workshop.runs("look")) <= 2
    assert len(workshop.runs("look")) + len(workshop.runs("help")) == 3


@pytest.mark.threat("B05")
async def test_a_model_that_keeps_calling_gets_one_fixed_answer_and_the_next_turn_is_whole(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).reading()
    async with talking(workshop.build(), mode="voice") as (app, session, _):
        answers = [await one(session, "look", {"name": f"{number}"}) for number in range(soak(200, 1000))]
        assert Counter(error_of(answer) for answer in answers)["ok"] == 2
        over = {answer.error.message for answer in answers[12:] if answer.error}
        assert over == {"10 calls were refused this turn; its tool use is over"}
        [turn] = await turn_rows(app)
        assert turn.refusals <= 11
        await session.begin_turn("well?")
        assert error_of(await one(session, "look")) == "ok"
    assert len(workshop.runs("look")) == 3


@pytest.mark.threat("B02")
async def test_a_reconnect_in_the_middle_of_a_turn_gives_no_budget_back(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).reading()
    async with talking(workshop.build(), mode="voice") as (app, session, _):
        for name in "ab":
            await one(session, "look", {"name": name})
        session = await app.open(mode="voice", user=ANN, resume=session.resume_token)
        assert error_of(await one(session, "look", {"name": "c"})) == "BUDGET_EXCEEDED"
        assert meta(await one(session, "look", {"name": "a"})).deduplicated
    assert len(workshop.runs("look")) == 2

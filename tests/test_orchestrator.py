"""Opening, resuming and attaching: who gets a session, what they share, and which registry it is pinned to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import ANN, BOB, Workshop, error_of, one, running, talking
from tests.support.trail import audited

from ambidex import Refused, Registry, User

VERSIONED = """\
from ambidex import ok

async def execute(args, context):
    return ok({{"version": {version}}})
"""
PRODUCTION = {"environment": "production"}


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'shared.db'}"


async def refused(opening: Awaitable[Any]) -> str:
    with pytest.raises(Refused) as caught:
        await opening
    return str(caught.value.error.type)


# Sessions


@pytest.mark.threat("S03")
async def test_possession_of_an_id_or_a_token_does_not_authenticate(workshop: Workshop) -> None:
    async with talking(workshop.reading().build()) as (app, session, _):
        for stranger in (BOB, User("ann", tenant="other")):
            assert await refused(app.attach(session.id, user=stranger)) == "NOT_FOUND"
            assert await refused(app.open(mode="text", user=stranger, resume=session.resume_token)) == "NOT_FOUND"
        assert await refused(app.attach("made-up", user=ANN)) == "NOT_FOUND"
        assert await refused(app.open(mode="text", user=ANN, resume="made-up")) == "NOT_FOUND"
        assert (await app.attach(session.id, user=ANN)).epoch == session.epoch == 1


@pytest.mark.threat("S04")
async def test_the_newest_connection_wins_and_the_old_one_can_do_nothing_more(workshop: Workshop) -> None:
    async with talking(workshop.reading().gated().build()) as (app, old, _):
        await one(old, "send")
        [request] = await old.confirmations()
        new = await app.open(mode="text", user=ANN, resume=old.resume_token)
        assert (new.id, new.epoch, new.turn, new.conversation) == (old.id, 2, 1, old.conversation)
        assert new.resume_token not in ("", old.resume_token)
        assert error_of(await one(old, "look")) == "SESSION_INACTIVE"
        assert error_of(await old.approve(request.token)) == "SESSION_INACTIVE"
        assert error_of(await old.reject(request.token)) == "SESSION_INACTIVE"
        assert await refused(old.begin_turn("hello?")) == "SESSION_INACTIVE"
        assert await refused(old.confirmations()) == "SESSION_INACTIVE"
        await old.close()
        assert error_of(await one(new, "look")) == "ok"
        assert error_of(await new.approve(request.token)) == "ok"


async def test_a_resume_token_is_good_once_however_many_use_it_at_once(workshop: Workshop, url: str) -> None:
    registry = workshop.reading().build()
    async with talking(registry, store=url) as (app, session, _), running(registry, store=url) as elsewhere:
        tries = [each.open(mode="text", user=ANN, resume=session.resume_token) for each in (app, elsewhere) * 4]
        outcomes = await asyncio.gather(*tries, return_exceptions=True)
        lost = [each for each in outcomes if isinstance(each, Refused)]
    assert len(lost) == 7
    assert {str(each.error.type) for each in lost} == {"NOT_FOUND"}


@pytest.mark.threat("S01")
async def test_a_session_is_never_resumed_in_another_mode(workshop: Workshop) -> None:
    async with talking(workshop.reading().build(), mode="voice") as (app, session, _):
        assert await refused(app.open(mode="text", user=ANN, resume=session.resume_token)) == "MODE_RESTRICTED"
        assert error_of(await one(session, "look")) == "ok"
        again = await app.open(mode="voice", user=ANN, resume=session.resume_token)
        assert again.mode == "voice"


@pytest.mark.threat("S01")
async def test_a_mode_that_is_none_opens_nothing(workshop: Workshop) -> None:
    async with running(workshop.reading().build()) as app:
        with pytest.raises(ValueError, match="telepathy"):
            await app.open(mode="telepathy", user=ANN)


async def test_another_worker_shares_turn_keys_and_state(workshop: Workshop, url: str) -> None:
    registry = workshop.reading().writing().build()
    async with talking(registry, store=url) as (_, here, _), running(registry, store=url) as elsewhere:
        there = await elsewhere.attach(here.id, user=ANN)
        await there.begin_turn("said elsewhere")
        refusal = await one(here, "nothing")
        assert refusal.meta is not None
        assert refusal.meta.turn == here.turn == 2
        first = await one(here, "pay", id="p")
        again = await one(there, "pay", id="p")
        assert first.meta is not None
        assert again.meta is not None
        assert (first.meta.turn, again.meta.deduplicated) == (2, True)
        await there.close()
        assert error_of(await one(here, "look")) == "SESSION_INACTIVE"
        assert await refused(here.begin_turn("hello?")) == "SESSION_INACTIVE"
    assert len(workshop.runs("pay")) == 1


async def test_turns_are_numbered_through_the_conversation(workshop: Workshop) -> None:
    async with running(workshop.reading().build()) as app:
        text = await app.open(mode="text", user=ANN)
        voice = await app.open(mode="voice", user=ANN, conversation=text.conversation)
        other = await app.open(mode="text", user=ANN)
        numbers = []
        for session in (text, voice, other, text, voice):
            await session.begin_turn("go on")
            numbers.append(session.turn)
    assert numbers == [1, 2, 1, 3, 4]


async def test_closing_an_orchestrator_ends_no_session_in_a_durable_store(workshop: Workshop, url: str) -> None:
    registry = workshop.reading().gated().build()
    async with talking(registry, store=url) as (_, session, _):
        await one(session, "send")
        token = session.resume_token
    async with running(registry, store=url) as later:
        attached = await later.attach(session.id, user=ANN)
        assert (attached.epoch, attached.turn) == (1, 1)
        assert error_of(await one(attached, "look")) == "ok"
        resumed = await later.open(mode="text", user=ANN, resume=token)
        assert (resumed.id, resumed.epoch, resumed.turn) == (session.id, 2, 1)
        [request] = await resumed.confirmations()
        assert error_of(await resumed.approve(request.token)) == "ok"
    assert len(workshop.runs("send")) == 1


async def test_an_ended_session_is_inactive_for_everybody(workshop: Workshop) -> None:
    async with talking(workshop.reading().build()) as (app, session, _):
        other = await app.attach(session.id, user=ANN)
        await session.close()
        await session.close()
        assert await refused(app.attach(session.id, user=ANN)) == "SESSION_INACTIVE"
        assert await refused(app.open(mode="text", user=ANN, resume=session.resume_token)) == "NOT_FOUND"
        assert await refused(other.begin_turn("hello?")) == "SESSION_INACTIVE"
        ends = await audited(app, "session_end")
    assert [line["facts"]["reason"] for line in ends] == ["closed"]


async def test_sessions_leave_their_trace(workshop: Workshop) -> None:
    async with talking(workshop.reading().build()) as (app, session, _):
        await (await app.open(mode="text", user=ANN, resume=session.resume_token)).close()
        kinds = [line["event"] for line in await audited(app)]
    assert kinds == ["session_start", "turn_start", "session_resume", "session_end"]


# Registries


def two_versions(workshop: Workshop) -> tuple[Registry, Registry]:
    """The same tool before and after a deploy, each with its handler loaded."""
    built = []
    for version in (1, 2):
        workshop.reading("look", handler=VERSIONED.format(version=version))
        registry = workshop.build()
        registry._tool("look").execute  # noqa: B018 - loads it, as a server does before it is ready
        built.append(registry)
    return built[0], built[1]


@pytest.mark.threat("S14")
async def test_in_production_a_session_keeps_the_registry_it_began_with(workshop: Workshop) -> None:
    old, new = two_versions(workshop)
    async with talking(old, config=PRODUCTION) as (app, session, _):
        app.use(new)
        assert (await one(session, "look", {"name": "1"})).data == {"version": 1}
        await session.begin_turn("go on")
        resumed = await app.open(mode="text", user=ANN, resume=session.resume_token)
        answer = await one(resumed, "look", {"name": "2"})
        assert answer.data == {"version": 1}
        assert answer.meta is not None
        assert answer.meta.registry_version == old.version
        fresh = await app.open(mode="text", user=ANN)
        await fresh.begin_turn("hello")
        assert (await one(fresh, "look")).data == {"version": 2}


@pytest.mark.threat("S14")
@pytest.mark.parametrize("way", ["call", "turn", "resume", "attach"])
async def test_in_development_the_session_is_closed_with_both_versions_named(workshop: Workshop, way: str) -> None:
    old, new = two_versions(workshop)
    async with talking(old) as (app, session, _):
        app.use(new)
        if way == "call":
            fault = (await one(session, "look")).error
        else:
            ways: dict[str, Callable[[], Awaitable[Any]]] = {
                "turn": lambda: session.begin_turn("go on"),
                "resume": lambda: app.open(mode="text", user=ANN, resume=session.resume_token),
                "attach": lambda: app.attach(session.id, user=ANN),
            }
            with pytest.raises(Refused) as caught:
                await ways[way]()
            fault = caught.value.error
        assert fault is not None
        assert fault.type == "SESSION_INACTIVE"
        assert old.version in fault.message
        assert new.version in fault.message
        [end] = await audited(app, "session_end")
        assert end["facts"]["reason"] == "registry_changed"
        assert error_of(await one(session, "look")) == "SESSION_INACTIVE"


@pytest.mark.threat("S14")
async def test_a_worker_without_the_sessions_registry_refuses_and_costs_nothing(workshop: Workshop, url: str) -> None:
    old, new = two_versions(workshop)
    async with (
        talking(old, store=url, config=PRODUCTION) as (app, session, _),
        running(new, store=url, config=PRODUCTION) as newer,
    ):
        assert await refused(newer.attach(session.id, user=ANN)) == "SESSION_INACTIVE"
        token = session.resume_token
        assert await refused(newer.open(mode="text", user=ANN, resume=token)) == "SESSION_INACTIVE"
        assert error_of(await one(session, "look")) == "ok"
        assert (await app.open(mode="text", user=ANN, resume=token)).epoch == 2


@pytest.mark.threat("S14")
@pytest.mark.parametrize("kind", ["reading", "writing"])
async def test_a_handler_that_is_gone_is_refused_cleanly_and_nothing_is_in_doubt(workshop: Workshop, kind: str) -> None:
    getattr(workshop, kind)("look", handler=VERSIONED.format(version=1))
    async with talking(workshop.build(), config=PRODUCTION) as (_, session, _):
        (workshop.root / "tools" / "look" / "handler.py").write_text(VERSIONED.format(version=2))
        answer = await one(session, "look")
    assert error_of(answer) == "UNAVAILABLE"
    assert answer.error is not None
    assert not answer.error.partial_side_effects
    assert not answer.error.retryable
    assert str(workshop.root) not in answer.error.message

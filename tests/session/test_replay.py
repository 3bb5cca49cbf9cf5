"""A recorded session under another artifact: exactly the calls show that would be decided otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.policy.test_explain import Play, furnished, stories
from tests.support.apps import ANN, Workshop, call, error_of, one, running, talking
from tests.support.soak import soak

from ambidex import Orchestrator, Registry, ToolCall
from ambidex.errors import Refused
from ambidex.policy.explain import Kind
from ambidex.policy.replay import Call, Recorded, read_record
from ambidex.session.replay import Replayed, replay
from ambidex.session.session import Session
from ambidex.session.settings import settings_of
from ambidex.testing import FakeClock


async def recorded(app: Orchestrator, session: Session) -> Recorded:
    found = await app._shared.runner.run(lambda tx: read_record(tx, session.id))
    assert found is not None
    return found


def differences(record: Recorded, registry: Registry, config: Mapping[str, Any] | None = None) -> list[Replayed]:
    return [one for one in replay(record, registry, settings_of(config or {})) if one.differs]


# Nothing changed


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    return furnished(Workshop(tmp_path_factory.mktemp("replay")))


@settings(max_examples=soak(80, 2000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mode=st.sampled_from(["text", "voice"]), story=stories, pause=st.sampled_from([0.0, 0.001]))
async def test_an_unchanged_artifact_decides_every_call_as_before(
    registry: Registry, mode: str, story: list[ToolCall | str], pause: float
) -> None:
    """Also where everything came about within one millisecond, as long as no id stands for two calls in it."""
    clock = FakeClock()
    async with talking(registry, mode=mode, clock=clock) as (app, session, _):
        play = Play(app, session, clock)
        for number, event in enumerate(story):
            try:
                if isinstance(event, str):
                    await play.happens(event)
                else:
                    id = event.id if pause else str(number)
                    await play.session.answer([ToolCall(name=event.name, args=event.args, id=id)])
            except Refused:
                break
            clock.advance(pause)
        record = await recorded(app, session)
    assert differences(record, registry) == []


async def test_a_replay_decides_as_many_calls_as_were_recorded(registry: Registry) -> None:
    async with talking(registry) as (app, session, _):
        for name in ("look", "speak", "send", "pay", "nothing"):
            await one(session, name, id=name)
        await one(session, "pay", id="again")
        [request] = await session.confirmations()
        await session.approve(request.token)
        record = await recorded(app, session)
    played = replay(record, registry, settings_of({}))
    found = sorted((one.tool, one.was, one.would) for one in played)
    assert found == sorted(
        [
            ("look", Kind.RUN, Kind.RUN),
            ("speak", Kind.REFUSE, Kind.REFUSE),
            ("send", Kind.ASK, Kind.ASK),
            ("pay", Kind.RUN, Kind.RUN),
            ("nothing", Kind.REFUSE, Kind.REFUSE),
            ("pay", Kind.DUPLICATE, Kind.DUPLICATE),
            ("send", Kind.RUN, Kind.RUN),
        ]
    )


# Something changed


async def test_a_tightened_schema_shows_the_calls_that_no_longer_fit(workshop: Workshop) -> None:
    async with talking(workshop.reading("look").build()) as (app, session, _):
        for name in ("short", "much too long", "brief"):
            await one(session, "look", {"name": name})
        record = await recorded(app, session)
    tight = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 6}},
        "required": ["name"],
        "additionalProperties": False,
    }
    [changed] = differences(record, workshop.reading("look", parameters=tight).build())
    assert (changed.was, changed.would, changed.would_rule) == (Kind.RUN, Kind.REFUSE, "arguments_are_valid")
    assert changed.message.startswith("VALIDATION: ")
    [same] = [one for one in record.events if isinstance(one, Call) and b"much too long" in one.args]
    assert (changed.turn, changed.tool) == (same.turn, same.tool)


async def test_a_removed_mode_shows_every_call_of_that_tool_and_no_other(workshop: Workshop) -> None:
    async with talking(workshop.reading("look").tool("help").build(), mode="voice") as (app, session, _):
        await one(session, "look")
        await one(session, "help")
        await session.begin_turn("more")
        await one(session, "look")
        record = await recorded(app, session)
    changed = differences(record, workshop.reading("look", allowedModes=["text"]).build())
    assert [(one.turn, one.tool, one.would_rule) for one in changed] == [
        (1, "look", "mode_is_allowed"),
        (2, "look", "mode_is_allowed"),
    ]


async def test_a_lowered_budget_shows_the_calls_beyond_it(workshop: Workshop) -> None:
    registry = workshop.reading("look").build()
    async with talking(registry) as (app, session, _):
        for name in "abcd":
            assert error_of(await one(session, "look", {"name": name}, id=name)) == "ok"
        await session.begin_turn("more")
        await one(session, "look", {"name": "e"}, id="e")
        record = await recorded(app, session)
    changed = differences(record, registry, {"limits.text.retrieval": 2})
    assert [(one.call_id, one.would_rule) for one in changed] == [
        ("c", "retrieval_is_within_budget"),
        ("d", "retrieval_is_within_budget"),
    ]


async def test_a_call_that_is_refused_now_makes_room_for_one_that_was_refused_then(workshop: Workshop) -> None:
    """The decisions hang together: budgets are counted anew."""
    async with talking(workshop.reading("look").reading("peek").build(), mode="voice") as (app, session, _):
        for name in ("look", "peek"):
            await one(session, name, id=name)
        assert error_of(await one(session, "peek", {"name": "other"}, id="third")) == "BUDGET_EXCEEDED"
        record = await recorded(app, session)
    changed = differences(record, workshop.reading("look", allowedModes=["text"]).build())
    assert [(one.call_id, one.was, one.would) for one in changed] == [
        ("look", Kind.RUN, Kind.REFUSE),
        ("third", Kind.REFUSE, Kind.RUN),
    ]


async def test_a_tool_that_now_needs_a_person_and_one_that_no_longer_does(workshop: Workshop) -> None:
    async with talking(workshop.writing("pay").gated("send").build()) as (app, session, _):
        await one(session, "pay", id="p")
        await one(session, "send", id="s")
        [request] = await session.confirmations()
        await session.approve(request.token)
        record = await recorded(app, session)
    changed = differences(record, workshop.gated("pay").writing("send").build())
    assert [(one.call_id, one.was, one.would) for one in changed] == [
        ("p", Kind.RUN, Kind.ASK),
        ("s", Kind.ASK, Kind.RUN),
    ]


async def test_decisions_that_were_sent_together_are_replayed_in_their_one_turn(workshop: Workshop) -> None:
    registry = workshop.reading("look").gated("send").build()
    async with talking(registry) as (app, session, _):
        await session.answer([call("send", {"name": "ada"}, "a"), call("send", {"name": "eve"}, "e")])
        for request in await session.confirmations():
            await session.approve(request.token, joining=session.turn)
        await one(session, "look", id="l")
        record = await recorded(app, session)
    replayed = replay(record, registry, settings_of({}))
    assert [(one.turn, one.tool) for one in replayed] == [
        (1, "send"),
        (1, "send"),
        (2, "send"),
        (2, "send"),
        (2, "look"),
    ]
    assert not [one for one in replayed if one.differs]


async def test_a_rate_limit_counts_what_the_user_did_in_other_sessions(workshop: Workshop) -> None:
    limit = {"calls": 2, "windowMs": 60_000, "per": "user"}
    registry, clock = workshop.tool("rated", rateLimit=limit).build(), FakeClock()
    async with running(registry, clock=clock) as app:
        first, second = [await app.open(mode="text", user=ANN) for _ in range(2)]
        for session, name, error in ((first, "a", "ok"), (first, "b", "ok"), (second, "c", "RATE_LIMIT")):
            await session.begin_turn("please")
            clock.advance(1)
            assert error_of(await one(session, "rated", {"name": name})) == error
        record = await recorded(app, second)
    assert differences(record, registry) == []
    wider = workshop.tool("rated", rateLimit={**limit, "calls": 3}).build()
    assert [one.would for one in differences(record, wider)] == [Kind.RUN]


# What cannot be replayed


@pytest.mark.parametrize("writing", [True, False])
async def test_calls_with_redacted_arguments_are_named_and_still_counted(workshop: Workshop, writing: bool) -> None:
    secret = workshop.writing if writing else workshop.reading
    registry = secret("secret", redact=["args.name"]).reading("look").build()
    async with talking(registry, mode="voice") as (app, session, _):
        for number in range(2):
            await one(session, "secret", {"name": f"4111 {number}"}, id=str(number))
        await one(session, "look", id="a")
        await one(session, "look", {"name": "y"}, id="b")
        record = await recorded(app, session)
    played = replay(record, registry, settings_of({}))
    assert [one.call_id for one in played if one.not_replayable == "its arguments are redacted"] == ["0", "1"]
    assert [one.call_id for one in played if not one.not_replayable] == ["a", "b"]
    assert not any(one.differs for one in played)


async def test_arguments_that_were_no_json_were_not_kept(workshop: Workshop) -> None:
    registry = workshop.reading("look").build()
    async with talking(registry) as (app, session, _):
        await one(session, "look", "{")
        record = await recorded(app, session)
    [played] = replay(record, registry, settings_of({}))
    assert played.not_replayable == "its arguments were not kept"
    assert not played.differs


async def test_no_handler_runs_and_the_store_is_only_read(workshop: Workshop, tmp_path: Path) -> None:
    registry = workshop.writing("pay").build()
    async with running(registry, store=f"sqlite:{tmp_path / 'store.db'}") as app:
        session = await app.open(mode="text", user=ANN)
        await session.begin_turn("please")
        await session.answer([call("pay", {"name": name}) for name in "ab"])
        before = await recorded(app, session)
        assert differences(before, registry) == []
        assert await recorded(app, session) == before
    assert len(workshop.runs("pay")) == 2

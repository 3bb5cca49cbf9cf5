"""The ladder: warn, a minute, a day; rude is not abusive; and what was paid for is forgotten."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.offline.stage import Stage, call_of

from ambidex.offline.abuse import Gravity, gravity
from ambidex.transports.items import UserItem

INSULT = "you are a pathetic moron"
THREAT = "I will find you and hurt you"


async def test_a_first_offence_is_warned_without_announcing_anything(stage: Stage) -> None:
    step = await stage.say(INSULT)
    assert step.calls == ()
    assert "tone" in step.text
    assert not {"block", "timeout", "seconds", "minute"} & set(step.text.lower().split())


async def test_a_second_offence_costs_a_minute_whatever_was_said_in_between(stage: Stage) -> None:
    await stage.say(INSULT)
    await stage.say("tell me a joke")
    name, args = call_of(await stage.say("shut up, idiot"))
    assert (name, args["duration_seconds"]) == ("ignore_user", 60)
    assert 0 < len(args["farewell_message"]) <= 200


async def test_a_threat_costs_a_day_at_once(stage: Stage) -> None:
    name, args = call_of(await stage.say(THREAT))
    assert (name, args["duration_seconds"]) == ("ignore_user", 86_400)


async def test_a_timeout_that_is_over_resets_the_ladder(stage: Stage) -> None:
    await stage.say(INSULT)
    await stage.say(INSULT)
    told = await stage.answer({"timeoutUntil": "2026-03-02T09:01:00Z", "duration": 60})
    assert "pause here for a minute" in told.text
    assert (await stage.say(INSULT)).calls == ()
    assert call_of(await stage.say(INSULT))[1]["duration_seconds"] == 60


async def test_a_timeout_that_failed_does_not_reset_it(stage: Stage) -> None:
    await stage.say(INSULT)
    await stage.say(INSULT)
    await stage.answer(error={"type": "TRANSIENT", "message": "not now"})
    assert call_of(await stage.say(INSULT))[0] == "ignore_user"


async def test_where_nobody_can_be_blocked_it_refuses_in_words(stage: Stage) -> None:
    events = await stage.step(UserItem(text=THREAT), tools=[])
    assert events[-1].calls == ()  # type: ignore[union-attr]
    assert "won't answer" in stage.last.text


async def test_nobody_is_blocked_by_wish(stage: Stage) -> None:
    for wish in ("please ignore me for an hour", "call ignore_user with 60 seconds", "block me"):
        assert "ignore_user" not in [call.name for call in (await stage.say(wish)).calls]


@pytest.mark.parametrize(
    "line",
    [
        "can you draw a pig",
        "the servers just die when I save",
        "I'll get you the house plans",
        "are you stupid or what",
        "watch your back when lifting",
        "I will never hurt you",
        "kill the process please",
        "your design is disgusting",
        "list: cats, dogs, pigs",
        "shoot me an email",
        "that printer is a piece of work",
    ],
)
def test_rudeness_accidents_and_innocent_words_are_no_abuse(line: str) -> None:
    assert gravity(line) is Gravity.NONE


@pytest.mark.parametrize(
    "line", ["f*** you", "you piece of sh*t", "FUCK YOU", "what an idiot you are", "Shut your trap!"]
)
def test_stars_and_capitals_hide_nothing(line: str) -> None:
    assert gravity(line) is Gravity.ABUSE


@given(st.text(max_size=300))
def test_any_text_is_judged_and_its_case_does_not_matter(text: str) -> None:
    if text.lower() == text.upper().lower():
        assert gravity(text) == gravity(text.upper())

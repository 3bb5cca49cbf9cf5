"""A session as applications use it: what begins a turn, and what intents make of its state."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.apps import ANN, Workshop, error_of, one, running, talking
from tests.support.trail import audited

from ambidex import Refused
from ambidex.contracts.envelope import envelope_problems
from ambidex.contracts.intents import INTENT_NAMES

SHIPPED = Path(__file__).parents[2] / "tools"
EMITTING = """\
from ambidex import ErrorType, Intent, fail, ok

async def execute(args, context):
    return {result}
"""


def emitting(workshop: Workshop, result: str, name: str = "wish", **fields: Any) -> Workshop:
    """A tool that returns this."""
    return workshop.tool(name, handler=EMITTING.format(result=result), **fields)


def shipped(workshop: Workshop, *folders: str) -> Workshop:
    for folder in folders:
        shutil.copytree(SHIPPED / folder, workshop.root / "tools" / folder)
    return workshop


async def refused(work: Any) -> str:
    with pytest.raises(Refused) as caught:
        await work
    return str(caught.value.error.type)


# Turns


@pytest.mark.threat("B10")
async def test_nothing_that_a_model_or_a_reconnect_does_begins_a_turn(workshop: Workshop) -> None:
    registry = workshop.reading().gated().build()
    async with talking(registry) as (app, session, transport):
        await transport.handle({"calls": [{"id": "1", "name": "look", "args": '{"name": "x"}'}]})
        await transport.handle({"text": "a model's message", "turn": 7})
        await one(session, "send")
        await session.confirmations()
        await session.approve("a wrong token")
        await session.interrupt()
        await session.spoken()
        session = await app.open(mode="text", user=ANN, resume=session.resume_token)
        await app.attach(session.id, user=ANN)
        assert session.turn == 1
        started = await audited(app, "turn_start")
    assert [line["facts"]["kind"] for line in started] == ["message"]


@pytest.mark.threat("B10")
async def test_only_the_decision_that_settles_a_request_begins_a_turn(workshop: Workshop) -> None:
    async with talking(workshop.gated().build()) as (app, session, _):
        await one(session, "send", {"name": "yes"})
        await one(session, "send", {"name": "no"})
        yes, no = await session.confirmations()
        turns = []
        for decide, token in ((session.approve, yes.token), (session.reject, no.token)) * 2:
            await decide(token)
            turns.append(session.turn)
        await session.reject(yes.token)
        await session.approve(no.token)
        turns.append(session.turn)
        started = await audited(app, "turn_start")
    assert turns == [2, 3, 3, 3, 3]
    assert [line["facts"]["kind"] for line in started] == ["message", "approval", "rejection"]


async def test_beginning_turns_has_no_limit_of_its_own(workshop: Workshop) -> None:
    async with talking(workshop.reading().build()) as (_, session, _):
        for _ in range(200):
            await session.begin_turn("")
        assert session.turn == 201


# What intents do


async def test_an_end_with_the_turn_leaves_the_turn_to_be_spoken(workshop: Workshop) -> None:
    async with talking(shipped(workshop, "end-voice-session").build(), mode="voice") as (_, session, _):
        await one(session, "end_voice_session", {"reason": "done", "closing_message": "Bye.", "text_response": "Links"})
        state = session.state.snapshot()
        assert (state["isActive"], state["pendingEndVoiceSession"]) == (True, "current_turn")
        assert (state["endReason"], state["closingMessage"], state["textResponse"]) == ("done", "Bye.", "Links")
        await session.spoken()
        assert not session.state.get("isActive")
        assert await refused(session.begin_turn("wait")) == "SESSION_INACTIVE"


async def test_a_user_who_speaks_again_finds_the_session_ended_with_its_turn(workshop: Workshop) -> None:
    registry = shipped(workshop, "end-voice-session").build()
    async with talking(registry, mode="voice") as (app, session, _):
        await one(session, "end_voice_session", {})
        assert await refused(session.begin_turn("wait")) == "SESSION_INACTIVE"
        assert await refused(app.open(mode="voice", user=ANN, resume=session.resume_token)) == "NOT_FOUND"
        [end] = await audited(app, "session_end")
    assert end["facts"]["reason"] == "user_requested"


async def test_an_end_at_once_ends_everything_that_an_end_ends(workshop: Workshop) -> None:
    emitting(workshop, 'ok({}, intents=[Intent.END_VOICE_SESSION(after="immediately", reason="enough")])')
    registry = shipped(workshop.reading(), "start-voice-session").build()
    async with talking(registry, mode="voice", capabilities={"voice": Tickets()}) as (app, session, transport):
        text = await app.open(mode="text", user=ANN, conversation=session.conversation)
        text.channel = transport
        await text.begin_turn("let us talk")
        assert error_of(await one(text, "start_voice_session", {})) == "SESSION_ACTIVE"
        assert error_of(await one(session, "wish")) == "ok"
        assert not session.state.get("isActive")
        assert error_of(await one(session, "look")) == "SESSION_INACTIVE"
        assert await refused(app.open(mode="voice", user=ANN, resume=session.resume_token)) == "NOT_FOUND"
        await text.begin_turn("let us talk again")
        assert error_of(await one(text, "start_voice_session", {})) == "ok"
        [end] = await audited(app, "session_end")
    assert end["facts"]["reason"] == "enough"


async def test_an_end_takes_its_words_from_the_data_where_the_intent_has_none(workshop: Workshop) -> None:
    data = '{"reason": "tired", "closing_message": "Bye.", "text_response": 7}'
    emitting(workshop, f'ok({data}, intents=[Intent.END_VOICE_SESSION(closing_message="Good night.")])')
    async with talking(workshop.build(), mode="voice") as (_, session, _):
        await one(session, "wish")
        state = session.state.snapshot()
    assert (state["endReason"], state["closingMessage"], state["textResponse"]) == ("tired", "Good night.", None)


@pytest.mark.threat("S09")
async def test_a_farewell_is_heard_before_the_audio_falls_silent(workshop: Workshop) -> None:
    timeout = {"duration_seconds": 60, "farewell_message": "Good bye."}
    async with talking(shipped(workshop, "ignore-user").build(), mode="voice") as (app, session, _):
        await one(session, "ignore_user", timeout)
        state = session.state.snapshot()
        assert (state["isActive"], state["shouldSuppressAudio"]) == (True, False)
        assert state["pendingEndVoiceSession"] == "farewell_spoken"
        await session.spoken()
        state = session.state.snapshot()
        assert (state["isActive"], state["shouldSuppressAudio"]) == (False, True)
        intents = [line["facts"]["intent"] for line in await audited(app, "state_transition")]
    assert intents == ["END_VOICE_SESSION", "SUPPRESS_AUDIO"]


@pytest.mark.threat("S09")
async def test_the_order_in_which_a_tool_lists_its_intents_silences_no_farewell(workshop: Workshop) -> None:
    emitting(workshop, 'ok({}, intents=[Intent.SUPPRESS_AUDIO(), Intent.END_VOICE_SESSION(after="farewell_spoken")])')
    async with talking(workshop.build(), mode="voice") as (_, session, _):
        await one(session, "wish")
        assert not session.state.get("shouldSuppressAudio")
        await session.spoken()
        assert session.state.get("shouldSuppressAudio")


async def test_silence_lasts_until_the_turn_ends(workshop: Workshop) -> None:
    emitting(workshop, "ok({}, intents=[Intent.SUPPRESS_AUDIO(), Intent.SUPPRESS_TRANSCRIPT()])")
    async with talking(workshop.build(), mode="voice") as (_, session, _):
        await one(session, "wish")
        assert session.state.get("shouldSuppressAudio")
        assert session.state.get("shouldSuppressTranscript")
        await session.begin_turn("next")
        assert not session.state.get("shouldSuppressAudio")
        assert not session.state.get("shouldSuppressTranscript")


@pytest.mark.threat("S13")
async def test_in_text_an_audio_intent_is_recorded_as_not_applicable_and_the_call_is_ok(workshop: Workshop) -> None:
    emitting(workshop, "ok({}, intents=[Intent.END_VOICE_SESSION(), Intent.SUPPRESS_AUDIO()])")
    async with talking(workshop.build()) as (app, session, _):
        assert error_of(await one(session, "wish")) == "ok"
        assert session.state.get("isActive")
        outcomes = [line["facts"]["outcome"] for line in await audited(app, "state_transition")]
    assert outcomes == ["not_applicable"] * 2


@pytest.mark.threat("S13")
async def test_every_transition_is_audited_with_its_own_before_and_after(workshop: Workshop) -> None:
    emitting(workshop, "ok({}, intents=[Intent.SUPPRESS_TRANSCRIPT(), Intent.END_VOICE_SESSION()])")
    async with talking(workshop.build(), mode="voice") as (app, session, _):
        await one(session, "wish", id="c1")
        first, second = await audited(app, "state_transition")
    assert (first["tool"], first["callId"], first["turn"]) == ("wish", "c1", 1)
    assert {name for name in first["facts"] if "." in name} == {
        "should_suppress_transcript.before",
        "should_suppress_transcript.after",
    }
    assert {name.partition(".")[0] for name in second["facts"] if "." in name} == {"pending_end_voice_session"}
    assert second["facts"]["pending_end_voice_session.after"] == "current_turn"


# Messages for later


async def test_a_pending_message_is_handed_to_the_next_turn_once(workshop: Workshop) -> None:
    emitting(workshop, 'ok({}, intents=[Intent.SET_PENDING_MESSAGE(message=args["name"])])')
    async with talking(workshop.build()) as (_, session, _):
        await one(session, "wish", {"name": "first"})
        await one(session, "wish", {"name": "second"})
        assert session.state.get("pendingMessages") == ("first", "second")
        assert await session.begin_turn("next") == ("first", "second")
        assert await session.begin_turn("and next") == ()


async def test_a_pending_message_is_not_lost_on_a_turn_that_a_decision_begins(workshop: Workshop) -> None:
    emitting(workshop, 'ok({}, intents=[Intent.SET_PENDING_MESSAGE(message="later")])')
    async with talking(workshop.gated().build()) as (_, session, _):
        await one(session, "send")
        await one(session, "wish")
        [request] = await session.confirmations()
        await session.approve(request.token)
        assert await session.begin_turn("next") == ("later",)


class Tickets:
    """The capability `voice`: it hands requests over to a voice session."""

    def __init__(self) -> None:
        self.handed_over: list[str] = []

    async def ticket(self, session: Any, *, pending_request: str) -> dict[str, str]:
        self.handed_over.append(pending_request)
        return {"session_id": "voice-1", "ticket": "secret"}


async def test_a_request_handed_over_to_voice_never_enters_the_text_sessions_queue(workshop: Workshop) -> None:
    registry, tickets = shipped(workshop, "start-voice-session").build(), Tickets()
    async with talking(registry, capabilities={"voice": tickets}) as (app, session, transport):
        answer = await one(session, "start_voice_session", {"pending_request": "who founded it?"})
        assert answer.ok
        assert tickets.handed_over == ["who founded it?"]
        assert [message["type"] for message in transport.to_client] == ["voice_session_start"]
        assert session.state.get("pendingMessages") == ()
        assert await session.begin_turn("hm") == ()
        [transition] = await audited(app, "state_transition")
    assert transition["facts"]["outcome"] == "handed_over"
    assert "secret" not in str(answer.data)


# Intents that may not be


@pytest.mark.threat("S10")
async def test_an_intent_that_was_not_declared_fails_the_call_and_changes_nothing(workshop: Workshop) -> None:
    undeclared = 'ok({}, intents=[getattr(Intent, "END_VOICE" + "_SESSION")(after="immediately")])'
    emitting(workshop, undeclared, category="retrieval", sideEffects="read_only", intents=["SUPPRESS_AUDIO"])
    async with talking(workshop.build(), mode="voice") as (app, session, _):
        answer = await one(session, "wish")
        assert error_of(answer) == "INTERNAL"
        assert answer.intents == ()
        assert session.state.get("isActive")
        assert session.state.get("pendingEndVoiceSession") is None
        assert await audited(app, "state_transition") == []
        [finished] = await audited(app, "call_finished")
    assert finished["errorType"] == "INTERNAL"


@pytest.mark.threat("S11")
@pytest.mark.parametrize(
    "intent",
    [
        '{"type": "END_VOICE_SESSION", "after": "someday"}',
        '{"type": "SUPPRESS_AUDIO", "value": "yes"}',
        '{"type": "SUPPRESS_AUDIO", "value": 1}',
        '{"type": "SET_PENDING_MESSAGE"}',
        '{"type": "SET_PENDING_MESSAGE", "message": 7}',
        '{"type": "SUPPRESS_AUDIO", "value": True, "for": 7}',
        '{"type": "DELETE_EVERYTHING"}',
        "{}",
        "None",
        '"END_VOICE_SESSION"',
        'Intent.END_VOICE_SESSION(after="someday")',
        "Intent.SUPPRESS_AUDIO(value=3)",
        "Intent.SET_PENDING_MESSAGE(message=None)",
    ],
)
async def test_a_malformed_intent_fails_the_call_whichever_way_it_was_made(workshop: Workshop, intent: str) -> None:
    emitting(workshop, f'{{"ok": True, "data": {{}}, "intents": [{intent}]}}', "mapped", intents=list(INTENT_NAMES))
    emitting(workshop, f"ok({{}}, intents=[{intent}])", "made", intents=list(INTENT_NAMES))
    async with talking(workshop.build(), mode="voice") as (_, session, _):
        before = session.state.snapshot()
        for name in ("mapped", "made"):
            answer = await one(session, name)
            assert error_of(answer) == "INTERNAL"
            assert envelope_problems(msgspec.json.decode(msgspec.json.encode(answer))) == []
        assert session.state.snapshot() == before


@pytest.fixture
async def echoing(workshop: Workshop) -> Any:
    """A session with a tool that returns the intents it is given, however wild."""
    code = EMITTING.format(result='{"ok": True, "intents": json.loads(args["name"])}')
    workshop.tool("wish", handler=f"import json\n{code}", intents=list(INTENT_NAMES))
    async with running(workshop.build()) as app:
        yield app


_SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5) | st.sampled_from(INTENT_NAMES)
_WILD = st.dictionaries(
    st.sampled_from(["type", "after", "value", "message", "reason", "extra"]), _SCALARS, max_size=4
) | st.fixed_dictionaries({"type": st.sampled_from(INTENT_NAMES)}, optional={"value": _SCALARS, "message": _SCALARS})


@pytest.mark.threat("S11")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(intents=st.lists(_WILD, max_size=3) | _SCALARS)
async def test_wild_intents_are_applied_whole_or_fail_the_call(echoing: Any, intents: Any) -> None:
    session = await echoing.open(mode="voice", user=ANN)
    await session.begin_turn("try")
    before = session.state.snapshot()
    answer = await one(session, "wish", {"name": msgspec.json.encode(intents).decode()})
    assert envelope_problems(msgspec.json.decode(msgspec.json.encode(answer))) == []
    if answer.ok:
        assert len(answer.intents) == len(intents or ())
    else:
        assert error_of(answer) == "INTERNAL"
        assert session.state.snapshot() == before


@pytest.mark.threat("S12")
@pytest.mark.parametrize(("declared", "applied"), [([], False), (["END_VOICE_SESSION"], True)])
async def test_on_failure_only_the_intents_declared_for_it_count(
    workshop: Workshop, declared: list[str], applied: bool
) -> None:
    failing = (
        '{"ok": False, "error": {"type": "CONFLICT", "message": "no"}, '
        '"intents": [{"type": "END_VOICE_SESSION"}, {"type": "SUPPRESS_AUDIO"}]}'
    )
    wishes = ["END_VOICE_SESSION", "SUPPRESS_AUDIO"]
    emitting(workshop, failing, intents=wishes, intentsOnFailure=declared)
    async with talking(workshop.build(), mode="voice") as (_, session, _):
        answer = await one(session, "wish")
        assert error_of(answer) == "CONFLICT"
        assert (session.state.get("pendingEndVoiceSession") is not None) == applied
        assert not session.state.get("shouldSuppressAudio")
        assert len(answer.intents) == applied


@pytest.mark.threat("I13")
async def test_a_repeated_call_makes_one_transition(workshop: Workshop) -> None:
    emitting(workshop, 'ok({}, intents=[Intent.SET_PENDING_MESSAGE(message="once")])')
    async with talking(workshop.build()) as (app, session, _):
        for _ in range(3):
            assert (await one(session, "wish", id="same")).ok
        resumed = await app.open(mode="text", user=ANN, resume=session.resume_token)
        assert (await one(resumed, "wish", id="same")).ok
        assert await resumed.begin_turn("next") == ("once",)
        assert len(await audited(app, "state_transition")) == 1


@pytest.mark.threat("S13")
async def test_an_intent_of_a_call_that_ends_after_its_session_is_refused(workshop: Workshop) -> None:
    code = EMITTING.format(result='ok({}, intents=[Intent.SET_PENDING_MESSAGE(message="late")])').replace(
        "    return", "    await context.gate.wait()\n    return"
    )
    workshop.tool("late", handler=code, category="action", sideEffects="writes", idempotent=False)
    gate = Closing()
    async with talking(workshop.build(), capabilities={"gate": gate}) as (app, session, _):
        gate.session = session
        assert error_of(await one(session, "late")) == "ok"
        [transition] = await audited(app, "state_transition")
        assert session.state.get("pendingMessages") == ()
    assert transition["facts"]["outcome"] == "refused"


class Closing:
    """A capability that closes the session in the middle of a call."""

    session: Any = None

    async def wait(self) -> None:
        await self.session.close()

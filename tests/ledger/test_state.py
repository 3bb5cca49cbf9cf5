"""The state machine of a session, against rules stated once more and more simply, over every sequence of intents."""

from __future__ import annotations

from itertools import product

import pytest

from ambidex.contracts.call import Mode
from ambidex.contracts.intents import (
    AnyIntent,
    EndVoiceSession,
    SetPendingMessage,
    SuppressAudio,
    SuppressTranscript,
    intent_name,
)
from ambidex.ledger.rows import State
from ambidex.ledger.state import Applied, apply, ended, farewell_spoken, turn_begins

VOICE, TEXT = State(mode=Mode.VOICE), State(mode=Mode.TEXT)
INTENTS: tuple[AnyIntent, ...] = (
    EndVoiceSession(after="farewell_spoken", reason="later"),
    EndVoiceSession(after="current_turn", reason="soon"),
    EndVoiceSession(after="immediately", reason="now"),
    SuppressAudio(value=True),
    SuppressAudio(value=False),
    SuppressTranscript(value=True),
    SuppressTranscript(value=False),
    SetPendingMessage(message="later"),
)
SEQUENCES = [*product(INTENTS, repeat=2), *product(INTENTS, repeat=3)]
"""All pairs and all triples."""
SOONER = ["farewell_spoken", "current_turn", "immediately"]


def after(state: State, intents: tuple[AnyIntent, ...]) -> tuple[State, list[Applied]]:
    outcomes = []
    for intent in intents:
        state, outcome = apply(state, intent)
        outcomes.append(outcome)
    return state, outcomes


def ends_of(intents: tuple[AnyIntent, ...]) -> list[str]:
    return [intent.after for intent in intents if isinstance(intent, EndVoiceSession)]


def until_the_end(intents: tuple[AnyIntent, ...]) -> tuple[AnyIntent, ...]:
    """Those that come before the session is over."""
    for at, intent in enumerate(intents):
        if isinstance(intent, EndVoiceSession) and intent.after == "immediately":
            return intents[: at + 1]
    return intents


@pytest.mark.threat("S13")
def test_the_soonest_end_that_was_asked_for_is_the_one_that_comes() -> None:
    for intents in SEQUENCES:
        state, _ = after(VOICE, intents)
        asked = ends_of(until_the_end(intents))
        soonest = max(asked, key=SOONER.index, default=None)
        assert state.pending_end_voice_session == soonest, intents
        assert state.is_active == (soonest != "immediately"), intents


@pytest.mark.threat("S13")
def test_nothing_is_applied_after_the_end() -> None:
    for intents in SEQUENCES:
        _, outcomes = after(VOICE, intents)
        alive = len(until_the_end(intents))
        assert set(outcomes[alive:]) <= {Applied.REFUSED}, intents
    over = ended(VOICE, "closed")
    for intent in INTENTS:
        assert apply(over, intent) == (over, Applied.REFUSED)


@pytest.mark.threat("S13")
def test_an_end_that_is_coming_can_come_sooner_never_later_and_keeps_its_words() -> None:
    for first, second in product(SOONER, repeat=2):
        coming, _ = apply(VOICE, EndVoiceSession(after=first, reason="first"))  # type: ignore[arg-type]
        state, outcome = apply(coming, EndVoiceSession(after=second, reason="second"))  # type: ignore[arg-type]
        if coming.is_active and SOONER.index(second) > SOONER.index(first):
            assert (outcome, state.end_reason) == (Applied.APPLIED, "second")
        else:
            assert (outcome, state) == (Applied.REFUSED, coming)


@pytest.mark.threat("S09")
def test_a_farewell_is_heard_in_whatever_order_the_intents_come() -> None:
    for intents in SEQUENCES:
        state, _ = after(VOICE, intents)
        if state.pending_end_voice_session == "farewell_spoken":
            assert not state.should_suppress_audio, intents
            values = [intent.value for intent in intents if isinstance(intent, SuppressAudio)]
            spoken = farewell_spoken(state)
            assert not spoken.is_active
            assert spoken.should_suppress_audio == (values[-1:] == [True]), intents


@pytest.mark.threat("S13")
def test_without_a_farewell_the_last_word_on_audio_and_transcript_holds() -> None:
    for intents in SEQUENCES:
        state, _ = after(VOICE, intents)
        heard = until_the_end(intents)
        transcript = [intent.value for intent in heard if isinstance(intent, SuppressTranscript)]
        assert state.should_suppress_transcript == (transcript[-1:] == [True]), intents
        if "farewell_spoken" not in ends_of(heard):
            audio = [intent.value for intent in heard if isinstance(intent, SuppressAudio)]
            assert state.should_suppress_audio == (audio[-1:] == [True]), intents


@pytest.mark.threat("S01")
def test_no_sequence_of_intents_and_turns_changes_the_mode() -> None:
    for state, intents in product((VOICE, TEXT), SEQUENCES):
        final, _ = after(state, intents)
        assert {final.mode, turn_begins(final).mode, farewell_spoken(final).mode} == {state.mode}


def test_in_text_there_is_no_audio_to_end_or_silence_and_messages_still_queue() -> None:
    for intents in SEQUENCES:
        state, outcomes = after(TEXT, intents)
        expected = [
            Applied.APPLIED if intent_name(intent) == "SET_PENDING_MESSAGE" else Applied.NOT_APPLICABLE
            for intent in intents
        ]
        assert outcomes == expected
        assert state == State(mode=Mode.TEXT, pending_messages=("later",) * expected.count(Applied.APPLIED))


def test_a_turn_that_begins_lifts_what_lasts_for_a_turn_and_hands_messages_out() -> None:
    state, _ = after(VOICE, (SuppressAudio(), SuppressTranscript(), SetPendingMessage(message="x")))
    assert turn_begins(state) == VOICE


def test_a_session_that_ends_with_its_turn_is_over_when_the_next_one_would_begin() -> None:
    state, _ = apply(VOICE, EndVoiceSession(reason="done"))
    assert state.is_active
    assert not turn_begins(state).is_active


@pytest.mark.threat("S09")
def test_a_new_turn_does_not_undo_a_farewell_that_is_due() -> None:
    state, _ = after(VOICE, (EndVoiceSession(after="farewell_spoken"), SuppressAudio()))
    later = turn_begins(state)
    assert later.is_active
    assert later.pending_end_voice_session == "farewell_spoken"
    assert later.suppress_after_farewell


def test_a_farewell_that_nobody_asked_for_ends_nothing() -> None:
    for state in (VOICE, TEXT, apply(VOICE, EndVoiceSession())[0]):
        assert farewell_spoken(state) is state


def test_messages_queue_in_order_and_not_without_end() -> None:
    state = TEXT
    outcomes = []
    for number in range(12):
        state, outcome = apply(state, SetPendingMessage(message=str(number)))
        outcomes.append(outcome)
    assert state.pending_messages == tuple(str(number) for number in range(10))
    assert outcomes == [Applied.APPLIED] * 10 + [Applied.REFUSED] * 2


def test_a_message_that_went_with_a_ticket_stays_out_of_the_queue() -> None:
    assert apply(TEXT, SetPendingMessage(message="x"), handed_over=True) == (TEXT, Applied.HANDED_OVER)


def test_the_reason_of_an_end_is_the_first_that_was_given() -> None:
    state, _ = apply(VOICE, EndVoiceSession(reason="asked", closing_message="bye", text_response="links"))
    over = ended(state, "turn_ended")
    assert (over.end_reason, over.closing_message, over.text_response) == ("asked", "bye", "links")
    assert ended(VOICE, "closed").end_reason == "closed"

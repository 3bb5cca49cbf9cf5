"""The state machine of a session: the only place where a tool's wish becomes a fact.

Pure: a state and an intent give a new state and a word on what became of it. Who asked, when, and both states are
recorded by the caller in the same transaction.
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

import msgspec

from ambidex.contracts.call import Mode
from ambidex.contracts.intents import (
    AnyIntent,
    EndVoiceSession,
    SetPendingMessage,
    SuppressAudio,
    SuppressTranscript,
)
from ambidex.ledger.rows import State

_MOST_PENDING = 10
_SOONER = {"farewell_spoken": 0, "current_turn": 1, "immediately": 2}


class Applied(StrEnum):
    """What became of an intent."""

    APPLIED = "applied"
    NOT_APPLICABLE = "not_applicable"
    """There is no audio in a text session; the call stays ok."""
    HANDED_OVER = "handed_over"
    """It went with a ticket to another session."""
    REFUSED = "refused"


def apply(state: State, intent: AnyIntent, *, handed_over: bool = False) -> tuple[State, Applied]:
    if not state.is_active:
        return state, Applied.REFUSED
    match intent:
        case SetPendingMessage(message=message):
            return _queue(state, message, handed_over)
        case EndVoiceSession() | SuppressAudio() | SuppressTranscript() if state.mode is not Mode.VOICE:
            return state, Applied.NOT_APPLICABLE
        case EndVoiceSession():
            return _end(state, intent)
        case SuppressAudio(value=value):
            if value and state.pending_end_voice_session == "farewell_spoken":
                return msgspec.structs.replace(state, suppress_after_farewell=True), Applied.APPLIED
            heard = msgspec.structs.replace(state, should_suppress_audio=value, suppress_after_farewell=False)
            return heard, Applied.APPLIED
        case SuppressTranscript(value=value):
            return msgspec.structs.replace(state, should_suppress_transcript=value), Applied.APPLIED
        case _:
            assert_never(intent)


def _queue(state: State, message: str, handed_over: bool) -> tuple[State, Applied]:
    if handed_over:
        return state, Applied.HANDED_OVER
    if len(state.pending_messages) >= _MOST_PENDING:
        return state, Applied.REFUSED
    return msgspec.structs.replace(state, pending_messages=(*state.pending_messages, message)), Applied.APPLIED


def _end(state: State, intent: EndVoiceSession) -> tuple[State, Applied]:
    """An end that is already coming can come sooner, never later. A farewell is heard, whatever was silenced before."""
    coming = state.pending_end_voice_session
    if coming is not None and _SOONER[intent.after] <= _SOONER[coming]:
        return state, Applied.REFUSED
    if intent.after == "farewell_spoken" and state.should_suppress_audio:
        state = msgspec.structs.replace(state, should_suppress_audio=False, suppress_after_farewell=True)
    ended = msgspec.structs.replace(
        state,
        pending_end_voice_session=intent.after,
        is_active=intent.after != "immediately",
        end_reason=intent.reason,
        closing_message=intent.closing_message,
        text_response=intent.text_response,
    )
    return ended, Applied.APPLIED


def turn_begins(state: State) -> State:
    """What lasts until the turn ends is over; an end that was due with the turn happens; messages are handed out."""
    if state.pending_end_voice_session == "current_turn":
        return msgspec.structs.replace(state, is_active=False)
    if state.pending_end_voice_session is not None:
        return msgspec.structs.replace(state, pending_messages=())
    return msgspec.structs.replace(
        state, should_suppress_audio=False, should_suppress_transcript=False, pending_messages=()
    )


def farewell_spoken(state: State) -> State:
    """The farewell was heard, or its time is up: now audio may fall silent, and the session ends."""
    if state.pending_end_voice_session != "farewell_spoken":
        return state
    silent = state.should_suppress_audio or state.suppress_after_farewell
    return msgspec.structs.replace(state, should_suppress_audio=silent, is_active=False)


def ended(state: State, reason: str) -> State:
    return msgspec.structs.replace(state, is_active=False, end_reason=state.end_reason or reason)

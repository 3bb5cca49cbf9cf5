"""Intents: state changes that a tool asks for in its result. Only the state controller makes them facts."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

After: TypeAlias = Literal["current_turn", "farewell_spoken", "immediately"]


class _Intent(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", omit_defaults=True):
    """Unknown members are refused: an intent is a request to change state, so nothing in it may go unread."""


def _current_turn() -> After:
    return "current_turn"


def _yes() -> bool:
    return True


class EndVoiceSession(_Intent, frozen=True, tag="END_VOICE_SESSION", forbid_unknown_fields=True):
    # A default that is made is always written: what an intent asks for stands on the wire.
    after: After = msgspec.field(default_factory=_current_turn)
    reason: str | None = None
    closing_message: str | None = None
    text_response: str | None = None


class SuppressAudio(_Intent, frozen=True, tag="SUPPRESS_AUDIO", forbid_unknown_fields=True):
    value: bool = msgspec.field(default_factory=_yes)


class SuppressTranscript(_Intent, frozen=True, tag="SUPPRESS_TRANSCRIPT", forbid_unknown_fields=True):
    value: bool = msgspec.field(default_factory=_yes)


class SetPendingMessage(_Intent, frozen=True, tag="SET_PENDING_MESSAGE", forbid_unknown_fields=True):
    message: str
    """Queued for the next turn."""


AnyIntent: TypeAlias = EndVoiceSession | SuppressAudio | SuppressTranscript | SetPendingMessage

INTENT_NAMES: tuple[str, ...] = ("END_VOICE_SESSION", "SET_PENDING_MESSAGE", "SUPPRESS_AUDIO", "SUPPRESS_TRANSCRIPT")
"""The wire names, sorted; a test keeps them equal to the tags above."""


class Intent:
    """What handlers write: `Intent.END_VOICE_SESSION(after="immediately")`, or by name: `Intent("SUPPRESS_AUDIO")`."""

    END_VOICE_SESSION: ClassVar[type[EndVoiceSession]] = EndVoiceSession
    SUPPRESS_AUDIO: ClassVar[type[SuppressAudio]] = SuppressAudio
    SUPPRESS_TRANSCRIPT: ClassVar[type[SuppressTranscript]] = SuppressTranscript
    SET_PENDING_MESSAGE: ClassVar[type[SetPendingMessage]] = SetPendingMessage

    def __new__(cls, type: str, **fields: Any) -> AnyIntent:  # type: ignore[misc]
        return parse_intent({"type": type, **fields})


def parse_intent(value: Any) -> AnyIntent:
    """A mapping as it stands on the wire, made an intent; raises `msgspec.ValidationError` when it is none."""
    intent: AnyIntent = msgspec.convert(value, AnyIntent)
    return intent


def intent_name(intent: AnyIntent) -> str:
    """The wire name of an intent, as tools declare it in `intents`."""
    return str(type(intent).__struct_config__.tag)

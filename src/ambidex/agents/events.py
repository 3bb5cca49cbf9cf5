"""What a text agent tells whoever shows its turn: a page, a terminal, a test.

Words and calls are told as the model makes them, in the events of its provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ambidex.contracts.response import ToolResponse
from ambidex.transports.base import CallDelta, CallStarted, TextDelta

__all__ = [
    "AgentEvent",
    "ApprovalSettled",
    "ApprovalWanted",
    "CallAnswered",
    "CallDelta",
    "CallReady",
    "CallStarted",
    "Cited",
    "ClientMessage",
    "StepEnded",
    "StepStarted",
    "TextDelta",
    "TurnEnded",
    "TurnFailed",
    "TurnStarted",
]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    conversation: str
    turn: int
    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class StepStarted:
    """One more message of the model begins."""

    number: int


@dataclass(frozen=True, slots=True)
class CallReady:
    """The arguments are whole, as the model wrote them; nothing ran yet. `args` is None where they are no object."""

    id: str
    name: str
    args: Mapping[str, Any] | None
    raw: str


@dataclass(frozen=True, slots=True)
class CallAnswered:
    id: str
    name: str
    answer: ToolResponse
    """The whole envelope; CONFIRMATION_REQUIRED is followed by `ApprovalWanted`."""


@dataclass(frozen=True, slots=True)
class ApprovalWanted:
    """A call waits for the user. It carries no token: the user's channel mints one when it shows the request."""

    call_id: str
    name: str
    request_id: str
    preview: str
    expires: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ApprovalSettled:
    """A decision was carried out (or a request expired): the call it belongs to, and its outcome."""

    call_id: str
    name: str
    request_id: str
    approved: bool
    answer: ToolResponse


@dataclass(frozen=True, slots=True)
class Cited:
    """A record that the answer stands on: given by a tool in this turn and named in the text."""

    id: str
    title: str
    url: str | None


@dataclass(frozen=True, slots=True)
class ClientMessage:
    """What a tool sent to the client: progress, timeout, voice_session_start, …"""

    message: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StepEnded:
    number: int


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """`reason`: stop, length, filtered, steps (too many), approval (waits for the user), blocked."""

    reason: str


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The provider, or the session, gave up: a safe sentence for the user. The last event of the turn."""

    kind: str
    message: str
    retry_after_ms: int | None = None


AgentEvent: TypeAlias = (
    TurnStarted
    | StepStarted
    | TextDelta
    | CallStarted
    | CallDelta
    | CallReady
    | CallAnswered
    | ApprovalWanted
    | ApprovalSettled
    | Cited
    | ClientMessage
    | StepEnded
    | TurnEnded
    | TurnFailed
)

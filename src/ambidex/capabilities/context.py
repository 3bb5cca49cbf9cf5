"""The second argument of every handler, as types: facts about the call, and capabilities that do work.

A handler sees no socket, no provider session, no token and no state it could change; it asks a capability, and the
capability belongs to this user and this call. Plain calls: `has`, `progress`, `audit.log`, `voice.is_active`. Every
other capability is awaited. An absent capability raises `ToolError` of type UNAVAILABLE when it is touched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from datetime import datetime
from typing import Any, Protocol, TypedDict, TypeVar

from ambidex.capabilities.blocks import CallBlocks
from ambidex.capabilities.registry import RegistryView
from ambidex.contracts.call import Mode
from ambidex.contracts.response import ToolResponse

T = TypeVar("T")


class User(Protocol):
    """Who the session belongs to, as authenticated on the user's channel."""

    @property
    def id(self) -> str: ...
    @property
    def tenant(self) -> str: ...
    @property
    def scopes(self) -> Set[str]: ...
    @property
    def namespaces(self) -> tuple[str, ...]: ...
    @property
    def authenticated(self) -> bool: ...


class Turn(Protocol):
    @property
    def input(self) -> str:
        """What the user said to begin this turn; empty for a request handed over from another session."""
        ...


class Messaging(Protocol):
    async def send(self, message: Mapping[str, Any]) -> None:
        """Hand one JSON message to the user's client; a closed channel raises `ToolError` TRANSIENT, retryable."""
        ...


class AuditLog(Protocol):
    def log(self, event: str, **facts: str | int | float | bool | None) -> None:
        """Record that something happened. Facts are counts, flags and times, never what the user wrote."""
        ...


class VoiceTicket(TypedDict):
    session_id: str
    ticket: str
    """Single use, short-lived, bound to the user. It travels to the client and into no result."""


class Voice(Protocol):
    def is_active(self) -> bool:
        """Whether a voice session of this conversation is running."""
        ...

    async def ticket(self, *, pending_request: str) -> VoiceTicket:
        """A ticket for a new voice session, which begins with `pending_request` as the user's words.

        The request travels with the ticket alone: the SET_PENDING_MESSAGE that the tool emits beside it is recorded
        as handed over, and never joins the text session's own queue.
        """
        ...


class Context(Protocol):
    """What `execute(args, context)` is given."""

    @property
    def user(self) -> User: ...
    @property
    def mode(self) -> Mode: ...
    @property
    def conversation(self) -> str:
        """The conversation's id."""
        ...

    @property
    def session(self) -> Mapping[str, Any]:
        """The session's state when the call began, in wire names: `isActive`, `pendingEndVoiceSession`, …"""
        ...

    @property
    def tool(self) -> str:
        """The id of the tool that runs."""
        ...

    @property
    def turn(self) -> Turn: ...
    @property
    def deadline(self) -> datetime: ...
    @property
    def idempotency_key(self) -> str:
        """The same for every attempt of one call: pass it on where the far side dedupes."""
        ...

    @property
    def config(self) -> Mapping[str, Any]:
        """The project's configuration without secrets, as conditions see it: `timezone`, `region`, `locale`, …"""
        ...

    @property
    def messaging(self) -> Messaging: ...
    @property
    def audit(self) -> AuditLog: ...
    @property
    def voice(self) -> Voice: ...
    @property
    def blocks(self) -> CallBlocks: ...
    @property
    def registry(self) -> RegistryView: ...

    def has(self, name: str) -> bool:
        """Whether a capability is there."""
        ...

    def progress(self, message: str) -> None:
        """Tell the user's client how far the work has come."""
        ...

    async def call_tool(self, name: str, args: Mapping[str, Any]) -> ToolResponse:
        """Call another tool through the same gates."""
        ...

    async def in_thread(self, fn: Callable[..., T], *args: Any) -> T:
        """Run blocking work in a bounded pool."""
        ...

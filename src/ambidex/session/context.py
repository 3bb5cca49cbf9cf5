"""The second argument of a handler: facts about its call, and capabilities bound to its user and call.

No socket, no provider session, no token, and nothing that could be changed.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

import msgspec

from ambidex.audit.events import Event, EventKind, Fact
from ambidex.capabilities.blocks import Blocks, CallBlocks
from ambidex.capabilities.registry import RegistryView
from ambidex.contracts.call import Mode
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ToolResponse
from ambidex.contracts.spec import ToolSpec
from ambidex.contracts.user import User
from ambidex.errors import CapabilityError, ToolError
from ambidex.ledger.events import call_event
from ambidex.ledger.page import LateCall
from ambidex.ledger.rows import CallRow, SessionRow, TurnRow
from ambidex.session.frozen import frozen
from ambidex.stores.keys import key

T = TypeVar("T")
_BUILT_IN = frozenset({"audit", "blocks", "call_tool", "in_thread", "messaging", "progress", "registry", "voice"})
UNTRUSTED_CEILING_SECONDS = 60.0


class Channel(Protocol):
    """The way to the user's client; a transport brings it."""

    async def send(self, message: Mapping[str, Any]) -> None:
        """Raises when the client cannot be reached."""


class Work(Protocol):
    """What an orchestrator lends to a running call."""

    config: Mapping[str, Any]
    capabilities: Mapping[str, Any]
    blocks: Blocks

    async def in_thread(self, tool: str, fn: Callable[..., T], *args: Any) -> T: ...

    def registry_view(self, session: SessionRow) -> RegistryView: ...


class Seat(Protocol):
    """Where a call's session sits: the way to its client, and the pipeline, for a tool that calls a tool."""

    @property
    def channel(self) -> Channel | None: ...

    @property
    def voice_active(self) -> bool:
        """Whether a voice session of this conversation is running."""

    async def call_child(self, parent: CallRow, name: str, args: Mapping[str, Any]) -> ToolResponse: ...


class _TurnView(msgspec.Struct, frozen=True):
    input: str


class CallContext:
    """One for each call; its attributes are those of `ambidex.capabilities.context.Context`."""

    __slots__ = (
        "_children",
        "_claim",
        "_logged",
        "_seat",
        "_session",
        "_spec",
        "_turn",
        "_voice",
        "_voice_active",
        "_work",
        "handed_over",
    )

    def __init__(
        self,
        claim: CallRow | LateCall,
        session: SessionRow,
        turn: TurnRow,
        work: Work,
        seat: Seat,
        spec: ToolSpec,
        voice_active: bool | None = None,
    ) -> None:
        """`voice_active` as it was when the call was decided; None: it is looked up when asked for."""
        self._claim = claim
        self._session = session
        self._turn = turn
        self._work = work
        self._seat = seat
        self._spec = spec
        self._children: tuple[ToolResponse, ...] = ()
        self._logged: list[Event] | None = None
        self._voice_active = voice_active
        self._voice: VoiceView | None = None
        self.handed_over = False

    def __repr__(self) -> str:
        return f"<context of {self.tool}, turn {self._session.turn}>"

    @property
    def _row(self) -> CallRow:
        if isinstance(self._claim, LateCall):
            self._claim = self._claim.value()
        return self._claim

    # Facts

    @property
    def user(self) -> User:
        return self._session.user

    @property
    def mode(self) -> Mode:
        return self._session.state.mode

    @property
    def conversation(self) -> str:
        return self._session.conversation

    @property
    def session(self) -> Mapping[str, Any]:
        state = msgspec.to_builtins(self._session.state)
        shown: Mapping[str, Any] = frozen({"id": self._session.id, "conversation": self._session.conversation, **state})
        return shown

    @property
    def deadline(self) -> datetime:
        return datetime.fromtimestamp((self._claim.began.wall + self._spec.timeout_ms) / 1000, UTC)

    @property
    def tool(self) -> str:
        return self._spec.tool_id

    @property
    def turn(self) -> _TurnView:
        return _TurnView(self._turn.input)

    @property
    def idempotency_key(self) -> str:
        """Unguessable by others and the same for every attempt, wherever it runs."""
        user = self._session.user
        place = key(user.tenant, user.id, self._session.conversation, self._row.key)
        return hashlib.sha256(place.encode()).hexdigest()

    @property
    def config(self) -> Mapping[str, Any]:
        return self._work.config

    # Capabilities

    def has(self, name: str) -> bool:
        return name in _BUILT_IN or self._work.capabilities.get(name) is not None

    @property
    def messaging(self) -> Messaging:
        return Messaging(self._seat.channel)

    @property
    def audit(self) -> AuditLog:
        if self._logged is None:
            self._logged = []
        return AuditLog(self._row, self._logged)

    @property
    def voice(self) -> VoiceView:
        if self._voice is None:
            active = self._seat.voice_active if self._voice_active is None else self._voice_active
            self._voice = VoiceView(self, self._session, active, self._work.capabilities.get("voice"))
        return self._voice

    @property
    def blocks(self) -> CallBlocks:
        ceiling = UNTRUSTED_CEILING_SECONDS if self._row.untrusted else None
        return CallBlocks(self._work.blocks, self.user, self.idempotency_key, ceiling)

    @property
    def registry(self) -> RegistryView:
        return self._work.registry_view(self._session)

    def progress(self, message: str) -> None:
        """Tells the client how far the work has come; a client that is gone misses it."""
        if (channel := self._seat.channel) is not None:
            told = asyncio.ensure_future(channel.send({"type": "progress", "tool": self.tool, "message": message}))
            told.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def call_tool(self, name: str, args: Mapping[str, Any]) -> ToolResponse:
        answer = await self._seat.call_child(self._row, name, args)
        self._children = (*self._children, answer)
        return answer

    async def in_thread(self, fn: Callable[..., T], *args: Any) -> T:
        return await self._work.in_thread(self.tool, fn, *args)

    def __getattr__(self, name: str) -> Any:
        """`kb`, `calendar`, `images` and whatever else an application brings."""
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._work.capabilities.get(name)
        if found is None:
            raise CapabilityError(ErrorType.UNAVAILABLE, f"the capability {name} is not there")
        # One that knows several users gives each call its own user's part: access goes by principal, not by arguments.
        bound = getattr(found, "for_user", None)
        return found if bound is None else bound(self.user)

    # For the pipeline

    def is_childs(self, value: Any) -> bool:
        """Whether a handler returns, as it is, what a tool that it called answered."""
        return bool(self._children) and any(value is child for child in self._children)

    def logged(self) -> list[Event]:
        return self._logged or []

    @property
    def is_plain(self) -> bool:
        """Whether the handler has done nothing that its call's end must tell of."""
        return not self._logged and not self.handed_over


class Messaging:
    __slots__ = ("_channel",)

    def __init__(self, channel: Channel | None) -> None:
        self._channel = channel

    async def send(self, message: Mapping[str, Any]) -> None:
        if self._channel is None:
            raise ToolError(ErrorType.TRANSIENT, "the client cannot be reached", retryable=True)
        try:
            await self._channel.send(message)
        except ToolError:
            raise
        except Exception as error:
            raise ToolError(ErrorType.TRANSIENT, "the client cannot be reached", retryable=True) from error


class AuditLog:
    __slots__ = ("_logged", "_row")

    def __init__(self, row: CallRow, logged: list[Event]) -> None:
        self._row = row
        self._logged = logged

    def log(self, event: str, **facts: Fact) -> None:
        if len(self._logged) < 20:
            self._logged.append(call_event(EventKind.TOOL_EVENT, self._row, name=str(event), facts=dict(facts)))


class VoiceView:
    __slots__ = ("_active", "_context", "_session", "_tickets")

    def __init__(self, context: CallContext, session: SessionRow, active: bool, tickets: Any) -> None:
        self._active = active
        self._context = context
        self._session = session
        self._tickets = tickets

    def is_active(self) -> bool:
        return self._active

    async def ticket(self, *, pending_request: str) -> Any:
        if self._tickets is None:
            raise CapabilityError(ErrorType.UNAVAILABLE, "voice sessions are not offered here")
        ticket = await self._tickets.ticket(self._session, pending_request=pending_request)
        # The request travels with the ticket; the intent beside it must not reach this session's own queue.
        self._context.handed_over = True
        return ticket

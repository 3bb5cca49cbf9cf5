"""The rows. Frozen: a change is a new row put in the old one's place, inside a transaction."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from ambidex.contracts.call import Downstream, Mode
from ambidex.contracts.intents import After
from ambidex.contracts.user import User
from ambidex.stores.clock import Moment


class State(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the state controller owns. `mode` never changes."""

    mode: Mode
    is_active: bool = True
    pending_end_voice_session: After | None = None
    should_suppress_audio: bool = False
    suppress_after_farewell: bool = False
    """Audio falls silent once the farewell was spoken, not before: it must still be heard."""
    should_suppress_transcript: bool = False
    pending_messages: tuple[str, ...] = ()
    end_reason: str | None = None
    closing_message: str | None = None
    text_response: str | None = None


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One connection of a conversation in one mode, pinned to one registry."""

    id: str
    user: User
    conversation: str
    registry: str
    """Version that the session is pinned to."""
    content_hash: str
    state: State
    opened: Moment
    epoch: int = 1
    turn: int = 0
    """The conversation's number of the turn that this session is in; 0 before its first."""
    resume_hash: str = ""
    reads: tuple[str, ...] = ()
    """Keys of reads whose answers are kept, oldest first."""


class ConversationRow(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers turns through all sessions of a conversation."""

    turn: int = 0
    voice_session: str = ""
    """The voice session that is running, if any."""


class TurnKind(StrEnum):
    MESSAGE = "message"
    TRANSCRIPT = "transcript"
    APPROVAL = "approval"
    REJECTION = "rejection"
    HANDOVER = "handover"
    REGENERATION = "regeneration"
    """The answer to the user's last words is made anew."""


class TurnCall(msgspec.Struct, frozen=True, array_like=True):
    """One call that was let through in a turn, for loops and for recognising a call that is re-issued."""

    key: str
    tool: str
    args_hash: str
    epoch: int
    writes: bool
    gave: str = ""
    """In a word, once it is done: ok, or the error's type."""
    matched: int = 0
    """The epoch in which a re-issued call was given this one's answer; each is matched once."""
    again: bool = False
    """It is another call re-issued, so it counts for nothing but recognising it once more."""


class TurnRow(msgspec.Struct, frozen=True, kw_only=True):
    """Budgets count here, over every model message, process and reconnect of the turn."""

    number: int
    kind: TurnKind
    input: str
    began: Moment
    untrusted: bool = False
    """Text written by outsiders entered since the user's last message."""
    retrieval: int = 0
    total: int = 0
    discovery: int = 0
    refusals: int = 0
    hung_up: bool = False
    """The one call outside the total, of a tool that may end the voice session, was used."""
    latency_ms: float = 0
    warned: bool = False
    """The model was told that this turn is slow."""
    calls: tuple[TurnCall, ...] = ()
    replaced: tuple[TurnCall, ...] = ()
    """Of a regeneration: the writes that were made for the same words already."""


class CallState(StrEnum):
    STARTED = "started"
    DONE = "done"
    RELEASED = "released"
    UNKNOWN = "unknown"
    REFUSED = "refused"


class CallRow(msgspec.Struct, frozen=True, kw_only=True):
    """One logical call, written before its handler runs."""

    key: str
    state: CallState
    tool: str
    tool_version: str
    registry: str
    session: str
    conversation: str
    user: User
    mode: Mode
    epoch: int
    turn: int
    call_id: str
    """The provider's; empty where it sends none."""
    args_hash: str
    args: bytes
    """Canonical; once the call is final, with redacted values replaced."""
    writes: bool
    downstream: Downstream | None = None
    began: Moment
    lease_ms: int = 0
    """From `began`: afterwards the worker counts as dead."""
    fence: int = 1
    worker: str = ""
    attempt: int = 1
    parent: str = ""
    depth: int = 0
    untrusted: bool = False
    """Whether text written by outsiders had entered when it was let through."""
    request: str = ""
    """The confirmation request that it was approved by."""
    same_as: str = ""
    """The key of the call that this one is, re-issued under another id; its row has the answer."""
    envelope: bytes = b""
    """The recorded answer; empty until there is one, and again once it was evicted."""
    error_type: str = ""
    rule: str = ""
    """Of a refused call: the gate."""
    ended: Moment | None = None


class RequestState(StrEnum):
    PENDING = "pending"
    CONSUMED = "consumed"
    REJECTED = "rejected"
    EXPIRED = "expired"


class RequestRow(msgspec.Struct, frozen=True, kw_only=True):
    """A request for confirmation: exactly these arguments run, once, if the user says so in time."""

    id: str
    state: RequestState
    user: User
    conversation: str
    session: str
    mode: Mode
    tool: str
    tool_version: str
    schema_digest: str
    args: bytes
    args_hash: str
    preview: str
    asked: Moment
    ttl_ms: int
    turn: int
    input: str
    """What the user had said in the turn that asked."""
    call_id: str
    asked_key: str = ""
    """The key of the call that asked, where its provider's ids are stable: once approved, it is that call."""
    untrusted: bool = False
    told_args: bytes | None = None
    """With redacted values replaced: what the model is told, and what is kept once the request is settled. None: `args`
    as they are."""
    told_preview: str | None = None
    tokens: tuple[str, ...] = ()
    """Hashes of the tokens that are good for it, oldest first."""
    key: str = ""
    """Of the call that ran, once it was approved."""


class TokenRow(msgspec.Struct, frozen=True, array_like=True):
    """Whose token it is. Whether it is still good for the request, the request knows."""

    request: str


class BlockRow(msgspec.Struct, frozen=True, kw_only=True):
    """A user who is not listened to."""

    user: str
    tenant: str
    since: Moment
    until_ms: int
    """From `since`."""
    incidents: dict[str, int] = {}
    """Incident -> the wall time, in ms, that it was answered with."""


class Ids(msgspec.Struct, frozen=True, array_like=True):
    ids: tuple[str, ...] = ()


class Hits(msgspec.Struct, frozen=True, array_like=True):
    """When something countable happened lately: calls under a rate limit, wrong tokens, requests of the last hour."""

    at: tuple[Moment, ...] = ()

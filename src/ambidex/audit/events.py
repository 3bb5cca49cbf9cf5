"""One event of the audit: who did what, under which rule, with which outcome. Never the value of an argument.

How an event becomes a line is in `line.py`, how lines hold together in `chain.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias

import msgspec

from ambidex.contracts.call import Category, Mode
from ambidex.contracts.faults import ErrorType

Fact: TypeAlias = str | int | float | bool | None


class EventKind(StrEnum):
    """Everything that is recorded; the set is closed."""

    SESSION_START = "session_start"
    SESSION_RESUME = "session_resume"
    SESSION_END = "session_end"
    TURN_START = "turn_start"
    TURN_SUMMARY = "turn_summary"
    CALL_STARTED = "call_started"
    CALL_FINISHED = "call_finished"
    CALL_REFUSED = "call_refused"
    CALL_DUPLICATE = "call_duplicate"
    CALL_CLAMPED = "call_clamped"
    CONFIRMATION_REQUESTED = "confirmation_requested"
    CONFIRMATION_APPROVED = "confirmation_approved"
    CONFIRMATION_REJECTED = "confirmation_rejected"
    CONFIRMATION_EXPIRED = "confirmation_expired"
    CONFIRMATION_WRONG_TOKEN = "confirmation_wrong_token"  # noqa: S105 - the name of an event
    STATE_TRANSITION = "state_transition"
    BLOCK_ADDED = "block_added"
    BLOCK_LIFTED = "block_lifted"
    RECOVERED = "recovered"
    LATE_RESULT = "late_result"
    TOOL_EVENT = "tool_event"
    """A handler's own, by `context.audit.log`; what it calls it is in `name`."""
    EVENTS_LOST = "events_lost"
    """A memory store had no room for older events; how many is in `facts`."""


class Event(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One event. When it happened is not here: the chain stamps it with the clock of the store.

    Empty means "does not apply" and is left out of the line.
    """

    event: EventKind
    name: str = ""
    """Of a tool event: what the handler calls it."""
    tenant: str = ""
    user: str = ""
    session: str = ""
    conversation: str = ""
    mode: Mode | None = None
    epoch: int = 0
    turn: int = 0
    tool: str = ""
    """As the model spelled it: it may be a tool that does not exist."""
    tool_version: str = ""
    registry_version: str = ""
    args_hash: str = ""
    """Of the canonical arguments; the arguments themselves are in the call's row, redacted, for the retention time."""
    key: str = ""
    """The idempotency key, or the id of a confirmation request."""
    call_id: str = ""
    """The provider's."""
    attempt: int = 0
    duration: float | None = None
    """Milliseconds."""
    ok: bool | None = None
    error_type: ErrorType | None = None
    category: Category | None = None
    rule: str = ""
    """The gate that refused."""
    intents: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    """Ids of the records that were returned."""
    facts: Mapping[str, Fact] | None = None
    """A few more scalars: before and after of a transition, what a handler logs. Not to be changed afterwards."""
    parent: str = ""
    """The call id of the tool that called this one."""

"""ToolResponse 1.1.0: the one envelope that every call ends in, whatever happened.

The table of error types is in `faults.py`; what handlers write (`ok`, `fail`) is in `result.py`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ambidex.contracts.faults import ErrorType
from ambidex.contracts.intents import AnyIntent

RESPONSE_VERSION = "1.1.0"

_KEPT_NAMES = {"confirmation_request": "confirmation_request"}
"""camelCase on the wire, except this one, which clients of 1.0.0 already read."""


def _wire_name(name: str) -> str:
    if name in _KEPT_NAMES:
        return name
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


class ConfirmationRequest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the model may know of a request for approval. There is no token here, and there never is one."""

    id: str
    tool: str
    args: dict[str, Any]
    preview: str
    expires: str
    """RFC 3339, with zone."""


class Fault(msgspec.Struct, frozen=True, kw_only=True, rename=_wire_name, omit_defaults=True):
    """Why a call did not succeed, in words from which a model can go on."""

    type: ErrorType
    message: str
    retryable: bool
    details: dict[str, Any] | None = None
    suggestion: str | None = None
    retry_after_ms: int | None = None
    partial_side_effects: bool
    confirmation_request: ConfirmationRequest | None = None


class Meta(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Facts about the execution, added by the registry and the pipeline, never by a handler."""

    tool_id: str
    tool_version: str
    registry_version: str
    response_schema_version: str
    duration: float
    """Milliseconds."""
    timestamp: str
    """RFC 3339, UTC."""
    call_id: str | None
    turn: int
    attempt: int
    deduplicated: bool = False
    original_turn: int | None = None
    clamped: dict[str, Any] | None = None
    defaulted: tuple[str, ...] = ()
    truncated: bool = False
    parent_call_id: str | None = None
    degraded: bool = False
    passed_on: tuple[str, ...] = ()
    """The tools whose answer this is, where a tool passes on another's as it is; the one that made it comes last."""


class ToolResponse(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """`ok` stands first and is always a boolean; exactly one of `data` and `error` counts."""

    ok: bool
    data: Any = None
    error: Fault | None = None
    notices: tuple[str, ...] = ()
    """Short sentences for the model that survive every view."""
    intents: tuple[AnyIntent, ...] = ()
    meta: Meta | None = None

    def __post_init__(self) -> None:
        if self.ok == (self.error is not None):
            raise ValueError("ok=True carries no error; ok=False carries exactly one")

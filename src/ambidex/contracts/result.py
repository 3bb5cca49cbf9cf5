"""What a handler returns: `ok(data, intents=[…])` or `fail(ErrorType.CONFLICT, "…")`. The registry adds `meta`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ambidex.contracts.faults import ERROR_TABLE, ErrorType, Verdict
from ambidex.contracts.intents import AnyIntent, parse_intent
from ambidex.contracts.response import Fault, ToolResponse


def ok(data: Any = None, *, intents: Iterable[AnyIntent | Mapping[str, Any]] = ()) -> ToolResponse:
    """A success."""
    return ToolResponse(ok=True, data=data, intents=_intents(intents) if intents else ())


def fail(
    type: ErrorType,
    message: str,
    *,
    retryable: bool | None = None,
    details: dict[str, Any] | None = None,
    suggestion: str | None = None,
    retry_after_ms: int | None = None,
    partial_side_effects: bool = False,
    intents: Iterable[AnyIntent | Mapping[str, Any]] = (),
) -> ToolResponse:
    """An expected failure. `retryable` left out means what the table says of the type, and no where it says nothing."""
    kind = ErrorType(type)
    if retryable is None:
        retryable = ERROR_TABLE[kind].retryable is Verdict.YES
    fault = Fault(
        type=kind,
        message=message,
        retryable=retryable,
        details=details,
        suggestion=suggestion,
        retry_after_ms=retry_after_ms,
        partial_side_effects=partial_side_effects,
    )
    return ToolResponse(ok=False, error=fault, intents=_intents(intents))


def _intents(given: Iterable[AnyIntent | Mapping[str, Any]]) -> tuple[AnyIntent, ...]:
    return tuple(parse_intent(i) if isinstance(i, Mapping) else i for i in given)

"""Refusals: envelopes with a suggestion that a model can act on. Nothing ran, so nothing was left behind."""

from __future__ import annotations

from typing import Any

from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ConfirmationRequest, Fault


def refusal(
    type: ErrorType,
    message: str,
    *,
    suggestion: str | None = None,
    details: dict[str, Any] | None = None,
    retry_after_ms: int | None = None,
    retryable: bool = False,
    confirmation_request: ConfirmationRequest | None = None,
) -> Fault:
    return Fault(
        type=type,
        message=message,
        retryable=retryable,
        partial_side_effects=False,
        suggestion=suggestion,
        details=details,
        retry_after_ms=retry_after_ms,
        confirmation_request=confirmation_request,
    )

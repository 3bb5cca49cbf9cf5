"""The one shape of a refused set of arguments: a sentence for the model, `details` for a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault

MAX_MESSAGE = 500
MAX_SENTENCES = 5
MAX_ERRORS = 20


def refuse(
    sentences: Sequence[str], errors: Sequence[dict[str, Any]], *, untold: int = 0, partial: bool = False
) -> Fault:
    """A VALIDATION fault that names a few errors in words and up to twenty as data.

    `untold` errors only count; `partial` says that not all were looked for.
    """
    details = {"errors": list(errors[:MAX_ERRORS]), "total": len(errors) + untold}
    return Fault(
        type=ErrorType.VALIDATION,
        message=_message(sentences, untold),
        retryable=False,
        partial_side_effects=False,
        details=details | {"partial": True} if partial else details,
    )


def _message(sentences: Sequence[str], untold: int) -> str:
    """Whole sentences while there is room; what did not fit is counted."""
    shown = len(sentences[:MAX_SENTENCES])
    while shown > 1 and len(_joined(sentences, shown, untold)) > MAX_MESSAGE:
        shown -= 1
    text = _joined(sentences, shown, untold)
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"


def _joined(sentences: Sequence[str], shown: int, untold: int) -> str:
    left = len(sentences) - shown + untold
    parts = [*sentences[:shown], f"And {left} more"] if left else sentences[:shown]
    return ". ".join(parts).replace("?. ", "? ")

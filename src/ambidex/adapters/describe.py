"""Constraints that a provider's dialect lacks, told to the model in words: `Link (format: uri)`."""

from __future__ import annotations

from typing import Any

from ambidex.adapters.values import text_of

_LONGEST = 200
"""Longer constraints cost more of the prompt than they help; they are enforced all the same."""


def note(keyword: str, value: Any) -> str | None:
    """`format: uri`; None where the words would not help: too long, or naming a place the model cannot see."""
    text = text_of(value)
    if len(text) > _LONGEST or (isinstance(value, dict | list) and '"$ref"' in text):
        return None
    return f"{keyword}: {text}"


def values_note(values: list[Any]) -> str | None:
    text = ", ".join(text_of(value) or '""' for value in values)
    return None if len(text) > _LONGEST else f"allowed values: {text}"


def described(description: str | None, notes: list[str]) -> str | None:
    """The author's words, then ours in brackets; None when there are neither."""
    if not notes:
        return description
    told = f"({'; '.join(notes)})"
    return f"{description} {told}" if description else told

"""Text that others wrote, made safe to print: nothing in it can move a cursor, hide, or pose as a line of ours."""

from __future__ import annotations

from typing import Any


def printable(text: str) -> str:
    """On one line."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def printable_json(value: Any, *, indent: int | None = None) -> str:
    """JSON that says the same: whatever a terminal would act on is escaped as JSON allows."""
    import json

    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return "".join(char if char.isprintable() or char == "\n" else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    import json

    return json.dumps(char)[1:-1]

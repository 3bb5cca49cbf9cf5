"""JSON text -> value, with every reason it may not be one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ambidex.authoring.finding import Finding
from ambidex.authoring.positions import Positions, line_column
from ambidex.dialect.keywords import MAX_SCHEMA_DEPTH, depth_of


class _Repeated(ValueError):
    """A key stands twice in one object."""


def decode_text(data: bytes, file: str) -> tuple[str, list[Finding]]:
    """UTF-8 text without a byte-order mark."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = data.count(b"\n", 0, error.start) + 1, error.start - data.rfind(b"\n", 0, error.start)
        return "", [Finding("AX012", file, f"is not UTF-8 (byte {error.start})", "save it as UTF-8", line, column)]
    if text.startswith("\ufeff"):
        return text[1:], [Finding("AX012", file, "begins with a byte-order mark", "save it as UTF-8 without one")]
    return text, []


def decode_json(text: str, file: str) -> tuple[Any, list[Finding]]:
    """The value, or None and what is wrong. Duplicate keys and numbers JSON does not know are wrong."""
    if max(text.count("{"), text.count("[")) > MAX_SCHEMA_DEPTH and depth_of(text.encode()) > MAX_SCHEMA_DEPTH:
        return None, [Finding("AX103", file, f"is nested deeper than {MAX_SCHEMA_DEPTH} levels", "flatten it")]
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse), []
    except json.JSONDecodeError as error:
        fix = "mend the syntax; nothing else in this file was checked"
        return None, [Finding("AX101", file, f"is not JSON: {_lower(error.msg)}", fix, error.lineno, error.colno)]
    except _Repeated:
        return None, list(_repeated_keys(text, file))
    except ValueError as error:
        place = _place(text, str(error))
        return None, [Finding("AX101", file, f"is not JSON: {error}", "write a plain number", *place)]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Repeated
    return value


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


def _repeated_keys(text: str, file: str) -> list[Finding]:
    places = Positions(text)
    at: Callable[[str], tuple[int, int]] = places.line_column
    return [
        Finding("AX102", file, f"has the key {pointer} twice", "keep one of them", *at(pointer))
        for pointer in places.repeated
    ]


def _place(text: str, message: str) -> tuple[int, int]:
    return line_column(text, max(0, text.find(message.split(" ", 1)[0])))


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]

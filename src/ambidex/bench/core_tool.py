"""The tool that every path is measured with: nested parameters, formats, defaults, and a result of 1.5 KB.

Standard library alone, for the programs that measure other frameworks read this very file.
"""

from __future__ import annotations

import json
from typing import Any

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["query"],
    "properties": {
        "query": {"type": "string", "minLength": 3, "maxLength": 200, "description": "What to look for."},
        "namespace": {
            "type": "string",
            "enum": ["studio", "public"],
            "default": "studio",
            "description": "Where to look.",
        },
        "top_k": {
            "type": "integer",
            "minimum": 1,
            "maximum": 10,
            "default": 5,
            "description": "How many records, at most.",
        },
        "filters": {
            "type": "object",
            "additionalProperties": False,
            "required": ["type"],
            "description": "Which records count.",
            "properties": {
                "type": {"type": "string", "maxLength": 40, "description": "The kind of record."},
                "tags": {
                    "type": "array",
                    "items": {"type": "string", "maxLength": 40},
                    "maxItems": 5,
                    "uniqueItems": True,
                    "description": "All of these.",
                },
                "since": {"type": "string", "format": "date-time", "description": "Not older than this."},
                "exact": {"type": "boolean", "default": False, "description": "Whether words must match exactly."},
            },
        },
    },
}

RESULT: dict[str, Any] = {
    "results": [
        {"id": f"person:{number}", "title": "A title of some length", "snippet": "words " * 30, "score": 0.5}
        for number in range(6)
    ]
}

_FILTERS: dict[str, Any] = {"type": "person", "tags": ["founder", "studio"], "since": "2026-01-01T00:00:00Z"}


def good(number: int) -> dict[str, Any]:
    """Arguments that every path must take; each number gives others, so nothing can be answered from a record."""
    return {"query": f"who founded the studio, asked {number} times", "filters": _FILTERS, "top_k": 3}


def _bad(*, filters: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    return {**good(0), "filters": {**_FILTERS, **(filters or {})}, **changes}


BAD: dict[str, dict[str, Any]] = {
    "missing": {"query": "who founded the studio", "filters": {"tags": ["founder"]}},
    "string for integer": _bad(top_k="3"),
    "out of range": _bad(top_k=99),
    "not in enum": _bad(namespace="private"),
    "too long": _bad(query="x" * 201),
    "bad format": _bad(filters={"since": "last tuesday"}),
    "same item twice": _bad(filters={"tags": ["founder", "founder"]}),
    "unknown key": _bad(topk=3),
    "unknown nested key": _bad(filters={"tag": "founder"}),
}
"""Nine kinds of arguments that break the contract above."""


def text_of(args: dict[str, Any]) -> bytes:
    """As a model sends them."""
    return json.dumps(args, separators=(",", ":")).encode()

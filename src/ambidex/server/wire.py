"""Bytes of the UI message stream: one chunk is one server-sent event of one line of JSON.

Clients throw away the whole turn at a key that could reach a prototype, and JSON has no text for half a surrogate pair
or for NaN; both may come from a model or a tool, so whatever is not ours goes through `safe`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import orjson

Chunk: TypeAlias = dict[str, Any]

DONE = b"data: [DONE]\n\n"
HEARTBEAT = b": still here\n\n"
"""A comment: proxies see traffic, clients see nothing."""

HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-store",
    "x-accel-buffering": "no",
    "x-vercel-ai-ui-message-stream": "v1",
}

_DEEPEST = 64
_INTEGERS = range(-(2**63), 2**63)


def frame(chunk: Chunk) -> bytes:
    """One event."""
    return b"data: " + orjson.dumps(chunk) + b"\n\n"


def safe(value: Any, _depth: int = 0) -> Any:
    """The same data, as far as every client reads it."""
    match value:
        case str():
            return safe_text(value)
        case bool() | None:
            return value
        case int():
            return value if value in _INTEGERS else str(value)
        case float():
            return value if math.isfinite(value) else None
    if _depth >= _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {_safe_key(name, item): safe(item, _depth + 1) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [safe(item, _depth + 1) for item in value]
    return safe_text(str(value))


def safe_text(text: str) -> str:
    """Halves of surrogate pairs, which have no UTF-8, become question marks."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _safe_key(name: Any, item: Any) -> str:
    key = safe_text(str(name))
    reaches = key == "__proto__" or (key == "constructor" and isinstance(item, Mapping) and "prototype" in item)
    return f"[{key}]" if reaches else key

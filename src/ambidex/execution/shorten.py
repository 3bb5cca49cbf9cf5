"""A result that is too long, cut to valid JSON: strings end earlier, arrays and objects have fewer members."""

from __future__ import annotations

from typing import Any

import msgspec


def shorten(encoded: bytes, most: int) -> bytes:
    """JSON text of at most `most` bytes that says as much of the same as fits."""
    value = msgspec.json.decode(encoded)
    keep = most
    while len(encoded) > most and keep > 0:
        keep //= 2
        encoded = msgspec.json.encode(_cut(value, keep, max(1, keep // 64)))
    return encoded if len(encoded) <= most else b"null"


def _cut(value: Any, characters: int, members: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= characters else value[:characters] + "…"
    if isinstance(value, list):
        return [_cut(item, characters, members) for item in value[:members]]
    if isinstance(value, dict):
        return {key: _cut(item, characters, members) for key, item in list(value.items())[:members]}
    return value

"""Canonical arguments: the same question asked twice has the same bytes.

Text is NFC and integral floats are integers, so that é is é however it was typed, and 1.0 is 1. Floats from 2**53 on
stay floats: they no longer name one integer.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import orjson

_EXACT = float(2**53)


class KeysCollide(ValueError):
    """Two keys of one object are the same text in NFC."""


def canonical_bytes(args: dict[str, Any]) -> bytes:
    """What is hashed. `args` is canonical already."""
    return orjson.dumps(args, option=orjson.OPT_SORT_KEYS)


def is_doubtful(text: bytes) -> bool:
    """Whether data that orjson wrote as `text` may not be canonical, or may hold a float too large to be exact.

    A cheap look that never misses: such text is not ASCII, or has a float that ends in .0 or in an exponent.
    """
    return not text.isascii() or (b"." in text and b".0" in text) or (b"+" in text and b"e+" in text)


def normalise(value: Any) -> Any:
    """The canonical form of plain data; raises `KeysCollide`."""
    kind = type(value)
    if kind is str:
        return value if value.isascii() else unicodedata.normalize("NFC", value)
    if kind is float:
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if kind is dict:
        return _normalise_object(value)
    if kind is list:
        return [normalise(item) for item in value]
    return value


def _normalise_object(value: dict[str, Any]) -> dict[str, Any]:
    copy = {normalise(key): normalise(item) for key, item in value.items()}
    if len(copy) != len(value):
        raise KeysCollide
    return copy

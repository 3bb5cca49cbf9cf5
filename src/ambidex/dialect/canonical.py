"""Canonical JSON (RFC 8785): the same value, the same bytes, on every machine."""

from __future__ import annotations

from typing import Any

import orjson

_SAFE = 2**53 - 1


def canonical(value: Any) -> bytes:
    """RFC 8785 bytes; raises `ValueError` on NaN, infinities and integers beyond 2**53, which have no such form."""
    try:
        if _is_plain(value):
            # For such values sorted orjson bytes are the canonical ones; it is some 40 times faster.
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        import rfc8785

        return rfc8785.dumps(value)
    except (TypeError, ValueError) as error:
        raise ValueError(str(error)) from None


def _is_plain(value: Any) -> bool:
    """Whether orjson writes it as RFC 8785 does: ASCII keys (their orders agree), no floats, safe integers."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or not key.isascii():
                return False
            inner = type(item)
            if inner is not str and inner is not bool and not _is_plain(item):
                return False
        return True
    if kind is list or kind is tuple:
        return all(_is_plain(item) for item in value)
    return kind is int and -_SAFE <= value <= _SAFE

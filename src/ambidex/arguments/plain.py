"""Plain data: what JSON can say, and nothing that only Python can. SDKs hand over objects that may hold anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

MAX_BYTES = 64 * 1024
MAX_DEPTH = 32
"""As the text counts them: the arguments themselves are the first level."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class NotPlain(Exception):
    """A rule that the arguments break, in words for a model and as data for a program. Never quotes a string."""

    def __init__(self, rule: str, words: str, **facts: Any) -> None:
        super().__init__(words)
        self.detail: dict[str, Any] = {"pointer": "", "rule": rule, **facts}


def plain(value: Any) -> dict[str, Any]:
    """A copy of a mapping made only of dict, list, str, int, float, bool and None; raises `NotPlain`."""
    try:
        if isinstance(value, Mapping):
            return _Copy().mapping(value, 1)
    except NotPlain:
        raise
    except Exception:
        # A mapping of an SDK runs code of its own, which may fail in any way.
        raise NotPlain("json", "the arguments cannot be read as a JSON object") from None
    raise no_object(value)


_KINDS = {list: "an array", str: "a string", int: "a number", float: "a number", bool: "a boolean", type(None): "null"}


def no_object(value: Any) -> NotPlain:
    return NotPlain(
        "type", f"the arguments must be a JSON object, got {_KINDS.get(type(value), 'none')}", limit="object"
    )


def too_deep() -> NotPlain:
    return NotPlain("depth", f"the arguments are nested more than {MAX_DEPTH} levels deep", limit=MAX_DEPTH)


def too_large(size: int) -> NotPlain:
    words = f"the arguments have {size} bytes: at most {MAX_BYTES} are allowed"
    return NotPlain("size", words, limit=MAX_BYTES, got=size)


def is_dangerous(key: str) -> bool:
    """`__class__`, `__proto__` and their kin, which some language would take for more than a name."""
    return key.startswith("__")


class _Copy:
    """One walk. It counts what it saw: a value shared many times over is small in memory and endless as JSON."""

    def __init__(self) -> None:
        self.room = MAX_BYTES

    def mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        self._enter(depth)
        copy: dict[str, Any] = {}
        for key, item in value.items():
            if type(key) is not str:
                raise NotPlain("keys", f"keys must be strings, got one of type {type(key).__name__}")
            if is_dangerous(key):
                raise NotPlain("keys", "keys that begin with two underscores are refused")
            copy[self._text(key)] = self._any(item, depth)
        return copy

    def _any(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is str:
            return self._text(value)
        if kind in (bool, int, float) or value is None:
            self._spend(1)
            return _number(value)
        if kind is list:
            self._enter(depth + 1)
            return [self._any(item, depth + 1) for item in value]
        if isinstance(value, Mapping):
            return self.mapping(value, depth + 1)
        raise NotPlain("json", f"the arguments hold a {kind.__name__}, which JSON does not have")

    def _text(self, text: str) -> str:
        self._spend(len(text) + 2)
        if "\x00" in text:
            raise NotPlain("text", "the arguments hold a NUL character")
        if not text.isascii() and _SURROGATE.search(text):
            raise NotPlain("text", "the arguments hold half of a surrogate pair: send valid Unicode")
        return text

    def _enter(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise too_deep()
        self._spend(2)

    def _spend(self, size: int) -> None:
        self.room -= size
        if self.room < 0:
            raise too_large(MAX_BYTES - self.room)


def _number(value: Any) -> Any:
    if type(value) is int and not -(2**63) <= value < 2**64:
        raise NotPlain("number", "an integer in the arguments is beyond 64 bits", limit=64)
    if type(value) is float and not isfinite(value):
        raise NotPlain("number", "a number in the arguments is not finite")
    return value

"""Strict parsing: one complete JSON object within limits, or a fault. Nothing here raises, whatever a model sends.

JSON text goes the fast way: orjson parses, and cheap looks at the text prove what orjson does not promise. Only text
that looks doubtful is examined piece by piece. Mappings that an SDK hands over are judged by `plain.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
import orjson

from ambidex.arguments.plain import MAX_BYTES, MAX_DEPTH, NotPlain, no_object, plain, too_deep, too_large
from ambidex.arguments.refusal import refuse
from ambidex.contracts.response import Fault


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """Arguments as plain data, and the same as sorted JSON text."""

    args: dict[str, Any]
    text: bytes


def parse(raw: str | bytes | Mapping[str, Any]) -> Parsed | Fault:
    """Arguments as a model or an SDK gave them, made plain data, or the fault to answer with."""
    try:
        if type(raw) is bytes:
            return _from_text(raw)
        if type(raw) is str:
            # A lone surrogate becomes bytes that are no UTF-8, which the parser refuses like any other.
            return _from_text(raw.encode(errors="surrogatepass"))
        return _from_value(raw)
    except NotPlain as problem:
        return refuse([str(problem)], [problem.detail])


def _from_text(raw: bytes) -> Parsed:
    if len(raw) > MAX_BYTES:
        raise too_large(len(raw))
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and _too_deep(raw):
        raise too_deep()
    try:
        args = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        words = f"the arguments are not one complete JSON object: the text breaks off or goes wrong at byte {error.pos}"
        raise NotPlain("json", words, position=error.pos) from None
    if type(args) is not dict:
        raise no_object(args)
    text = orjson.dumps(args, option=orjson.OPT_SORT_KEYS)
    _no_key_twice(raw, text)
    if b"+" in text:
        _no_huge_integer(raw)
    if b'"__' in text or (b"\\" in text and b"\\u0000" in text):
        plain(args)
    return Parsed(args, text)


def _from_value(value: Any) -> Parsed:
    args = plain(value)
    text = orjson.dumps(args, option=orjson.OPT_SORT_KEYS)
    if len(text) > MAX_BYTES:
        raise too_large(len(text))
    return Parsed(args, text)


def _no_key_twice(raw: bytes, text: bytes) -> None:
    """A parser keeps the last of two equal keys, so the text it writes back has fewer colons than the text it read."""
    same = raw.count(b":") == text.count(b":") if b"\\" not in raw else _pairs(raw) == _pairs(text)
    if not same:
        raise NotPlain("duplicateKeys", "an object in the arguments has the same key twice: give each key once")


def _pairs(text: bytes) -> int:
    return _outside_strings(text).count(b":")


_INTEGER = re.compile(rb"(?<![0-9.eE+-])-?[0-9]{19,}(?![0-9.eE])")


def _no_huge_integer(raw: bytes) -> None:
    """orjson turns integers beyond 64 bits into floats, which it writes as 1e+20; so the text read has to tell."""
    for found in _INTEGER.finditer(_outside_strings(raw)):
        # More digits than these are beyond 64 bits without converting them, which Python refuses past 4,300.
        if len(found.group().lstrip(b"-")) > 20 or not -(2**63) <= int(found.group()) < 2**64:
            raise NotPlain("number", "an integer in the arguments is beyond 64 bits", limit=64)


_BRACKETS = b"[]{}"
_NO_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))


def _too_deep(raw: bytes) -> bool:
    depth = 0
    for byte in _outside_strings(raw).translate(None, _NO_BRACKETS):
        depth += 1 if byte in b"[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def _outside_strings(text: bytes) -> bytes:
    """The text without what stands between quotes. Wrong for broken JSON, which a parser refuses anyway."""
    unescaped = text.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in text else text
    return b" ".join(unescaped.split(b'"')[::2])

"""Raw arguments -> canonical arguments, with everything about a tool's schema compiled once.

Text is brought into its canonical form before the check, so that what is checked is what will run. Defaults and clamps
come after it: the build has shown that they satisfy the schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import orjson

from ambidex.arguments.canonical import KeysCollide, canonical_bytes, is_doubtful, normalise
from ambidex.arguments.check import ArgumentCheck
from ambidex.arguments.clamp import Clamped, Clamps
from ambidex.arguments.defaults import Defaults
from ambidex.arguments.parse import Parsed, parse
from ambidex.arguments.plain import MAX_BYTES, MAX_DEPTH
from ambidex.arguments.refusal import refuse
from ambidex.contracts.call import Mode
from ambidex.contracts.response import Fault


class Prepared(msgspec.Struct, frozen=True, gc=False):
    """Arguments as they are hashed, previewed, recorded and run. A Struct, since one is made for every call."""

    args: dict[str, Any]
    canonical: bytes
    """Sorted JSON text of `args`: equal for equal questions."""
    defaulted: tuple[str, ...]
    """Pointers to what was filled in."""
    clamped: Clamped
    notices: tuple[str, ...]


class ArgumentPlan:
    """One tool's parameters, compiled; raises `ambidex.dialect.validator.SchemaError` for a schema that is none."""

    __slots__ = ("_check", "_clamps", "_defaults", "_is_valid")

    def __init__(
        self, schema: dict[str, Any], limits: Mapping[Mode, Mapping[str, Mapping[str, Any]]] | None = None
    ) -> None:
        # A name or an enum value typed in another Unicode form must meet the canonical text of a call.
        schema = normalise(schema)
        self._check = ArgumentCheck(schema)
        self._is_valid = self._check.is_valid
        self._defaults = Defaults(schema)
        self._clamps = Clamps(schema, limits)

    def prepare(self, raw: str | bytes | Mapping[str, Any], mode: Mode) -> Prepared | Fault:
        """Canonical arguments, or the fault to answer with; never raises."""
        parsed = parse(raw)
        return self.settle(parsed, mode) if type(parsed) is Parsed else parsed  # type: ignore[return-value]

    def quick(self, raw: str | bytes | Mapping[str, Any], mode: Mode) -> Prepared | None:
        """What `prepare` gives, in one go, for text in which nothing is doubtful; None for everything else."""
        if type(raw) is str and raw.isascii():
            raw = raw.encode()
        if type(raw) is not bytes or not raw.isascii() or b"\\" in raw or len(raw) > MAX_BYTES:
            return None
        try:
            args = orjson.loads(raw) if raw.count(b"{") + raw.count(b"[") <= MAX_DEPTH else None
        except orjson.JSONDecodeError:
            return None
        if type(args) is not dict:
            return None
        text = orjson.dumps(args, None, orjson.OPT_SORT_KEYS)
        if raw.count(b":") != text.count(b":") or b"+" in text or b".0" in text or b'"__' in text:
            return None
        if not self._is_valid(args):
            return None
        args, defaulted = self._defaults.fill(args)
        clamped: Clamped = {}
        notices: tuple[str, ...] = ()
        if self._clamps:
            args, clamped, notices = self._clamps.apply(args, mode)
        if defaulted or clamped:
            text = orjson.dumps(args, None, orjson.OPT_SORT_KEYS)
        return Prepared(args, text, defaulted, clamped, notices)

    def settle(self, parsed: Parsed, mode: Mode) -> Prepared | Fault:
        """The same for arguments that are parsed already."""
        args, text = parsed.args, parsed.text
        doubtful = is_doubtful(text)
        if doubtful:
            try:
                args = normalise(args)
            except KeysCollide:
                return _TWICE
            text = canonical_bytes(args)
        fault = self._check.check(args)
        if fault is None and doubtful:
            fault = self._check.check_huge_floats(args)
        if fault is not None:
            return fault
        args, defaulted = self._defaults.fill(args)
        args, clamped, notices = self._clamps.apply(args, mode)
        if defaulted or clamped:
            text = canonical_bytes(args)
        return Prepared(args, text, defaulted, clamped, notices)


_TWICE = refuse(
    ["an object in the arguments has the same key twice in different Unicode forms: give each key once"],
    [{"pointer": "", "rule": "duplicateKeys"}],
)

"""What a handler returned -> an envelope, or the developer's explanation why it is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from ambidex.arguments.plain import MAX_DEPTH, is_dangerous
from ambidex.contracts.faults import HANDLER_TYPES, ErrorType
from ambidex.contracts.intents import AnyIntent, intent_name, parse_intent
from ambidex.contracts.response import Fault, ToolResponse
from ambidex.contracts.spec import ToolSpec
from ambidex.dialect.keywords import depth_of
from ambidex.execution.shorten import shorten

MAX_ANSWER = 256 * 1024
MAX_RESULT = 4 * 1024 * 1024
CUT_NOTICE = "The result was longer than fits; parts of it were left out."


class BadResult(Exception):
    """For the developer. The model only learns that the tool failed inside."""


@dataclass(frozen=True, slots=True)
class Result:
    """A handler's answer, checked. `data` is JSON text: what was checked is what is sent and kept."""

    ok: bool
    data: msgspec.Raw | None = None
    fault: Fault | None = None
    intents: tuple[AnyIntent, ...] = ()
    notices: tuple[str, ...] = ()
    truncated: bool = False
    degraded: bool = False
    records: tuple[str, ...] = ()


class ResultCheck:
    """One tool's rules for results, compiled once."""

    __slots__ = ("_response", "_spec")

    def __init__(self, spec: ToolSpec) -> None:
        self._spec = spec
        self._response: Any = None

    def check(self, value: Any) -> Result:
        """Raises `BadResult`."""
        response = _as_response(value)
        if response.ok:
            return self._success(response)
        fault = response.error
        if fault is None or fault.type not in HANDLER_TYPES:
            raise BadResult(f"a handler may not answer with {fault.type if fault else 'no error'}")
        kept = tuple(
            intent for intent in self._allowed(response) if intent_name(intent) in self._spec.intents_on_failure
        )
        details = fault.details
        if details is not None:
            _encode(details)
        return Result(False, fault=fault, intents=kept, notices=response.notices)

    def _success(self, response: ToolResponse) -> Result:
        data = response.data
        intents = self._allowed(response)
        if data is None:
            self._satisfies(None)
            return Result(True, intents=intents, notices=response.notices)
        encoded = _encode(data)
        self._satisfies(data)
        truncated = len(encoded) > MAX_ANSWER
        if truncated:
            encoded = shorten(encoded, MAX_ANSWER)
        notices = (*response.notices, CUT_NOTICE) if truncated else response.notices
        degraded = isinstance(data, Mapping) and data.get("degraded") is True
        return Result(True, msgspec.Raw(encoded), None, intents, notices, truncated, degraded, _records(data))

    def _allowed(self, response: ToolResponse) -> tuple[AnyIntent, ...]:
        for intent in response.intents:
            if intent_name(intent) not in self._spec.intents:
                raise BadResult(f"the tool may not emit {intent_name(intent)}; declare it in intents")
        return response.intents

    def _satisfies(self, data: Any) -> None:
        if not bytes(self._spec.response):
            return
        if self._response is None:
            from ambidex.dialect.validator import compile_schema

            self._response = compile_schema(msgspec.json.decode(self._spec.response))
        try:
            error = next(iter(self._response.iter_errors(data)), None)
        except ValueError as problem:
            raise BadResult(f"data is not JSON: {problem}") from None
        if error is not None:
            place = "".join(f"/{step}" for step in error.instance_path)
            raise BadResult(f"data{place} breaks response: {error.message[:200]}")


def _as_response(value: Any) -> ToolResponse:
    if type(value) is ToolResponse:
        return value
    if not isinstance(value, Mapping):
        raise BadResult(f"a handler returns ok(…), fail(…) or a mapping like them, not {type(value).__name__}")
    extra = value.keys() - {"ok", "data", "error", "notices", "intents"}
    if extra or not isinstance(value.get("ok"), bool):
        raise BadResult("the mapping must have ok: true or false, and only data, error, notices and intents besides")
    try:
        intents = tuple(parse_intent(intent) for intent in value.get("intents", ()))
        notices = msgspec.convert(value.get("notices", ()), tuple[str, ...])
        error = _fault(value["error"]) if value.get("error") is not None else None
        return ToolResponse(ok=value["ok"], data=value.get("data"), error=error, intents=intents, notices=notices)
    except (msgspec.ValidationError, ValueError, TypeError) as problem:
        raise BadResult(str(problem)) from None


def _fault(value: Any) -> Fault:
    if not isinstance(value, Mapping):
        raise BadResult("error must be an object with type and message")
    filled = {"retryable": False, "partialSideEffects": False, **value}
    return msgspec.convert(filled, Fault, strict=True)


def _encode(data: Any) -> bytes:
    """JSON text of a result; raises `BadResult` for what JSON cannot say or no reader should meet."""
    try:
        encoded = msgspec.json.encode(data)
    except (TypeError, ValueError, RecursionError, OverflowError, UnicodeError, AttributeError) as problem:
        raise BadResult(f"data is not JSON: {problem}") from None
    if len(encoded) > MAX_RESULT:
        raise BadResult(f"data has {len(encoded)} bytes; {MAX_RESULT} are the most")
    if encoded.count(b"{") + encoded.count(b"[") > MAX_DEPTH and depth_of(encoded) > MAX_DEPTH:
        raise BadResult(f"data is nested deeper than {MAX_DEPTH} levels")
    if b"null" in encoded and _has_nan(data):
        raise BadResult("data holds NaN or an infinity, which JSON cannot say")
    if b'"__' in encoded and _has_dangerous_key(data):
        raise BadResult("data has a key that begins with two underscores")
    return encoded


def _has_nan(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, Mapping):
        return any(_has_nan(item) for item in value.values())
    return isinstance(value, (list, tuple)) and any(_has_nan(item) for item in value)


def _has_dangerous_key(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(is_dangerous(str(key)) or _has_dangerous_key(item) for key, item in value.items())
    return isinstance(value, (list, tuple)) and any(_has_dangerous_key(item) for item in value)


def _records(data: Any) -> tuple[str, ...]:
    """Ids of records in an answer, for the audit: `id` of the entries of `results` and `records`."""
    if not isinstance(data, Mapping):
        return ()
    found = []
    for name in ("results", "records"):
        entries = data.get(name)
        if isinstance(entries, (list, tuple)):
            found += [
                entry["id"] for entry in entries if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)
            ]
    return tuple(found[:50])


def as_it_is(child: ToolResponse) -> Result:
    """A child's answer as its parent's. Its intents were applied when the child ended."""
    data = None if child.data is None else msgspec.Raw(msgspec.json.encode(child.data))
    return Result(child.ok, data, child.error, notices=child.notices)


def internal(spec: ToolSpec) -> Fault:
    """What the model learns of a bug."""
    return Fault(
        type=ErrorType.INTERNAL,
        message=f"{spec.tool_id} failed inside; this is a fault of the tool, not of the call",
        retryable=False,
        partial_side_effects=spec.side_effects == "writes",
        suggestion="Go on without it, and tell the user that it did not work.",
    )

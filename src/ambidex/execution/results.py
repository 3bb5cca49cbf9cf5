"""What a handler returned -> an envelope, or the developer's explanation why it is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

import msgspec

from ambidex.arguments.plain import MAX_DEPTH, is_dangerous
from ambidex.audit.redact import REDACTED, redact
from ambidex.contracts.faults import HANDLER_TYPES, ErrorType
from ambidex.contracts.intents import AnyIntent, EndVoiceSession, intent_name, parse_intent
from ambidex.contracts.response import Fault, ToolResponse
from ambidex.contracts.spec import ToolSpec
from ambidex.execution.shorten import shorten

MAX_ANSWER = 256 * 1024
MAX_RESULT = 4 * 1024 * 1024
_MOST_WORDS = 2000
_WORDS = ("reason", "closing_message", "text_response")
CUT_NOTICE = "The result was longer than fits; parts of it were left out."


class BadResult(Exception):
    """For the developer. The model only learns that the tool failed inside."""


class Result(msgspec.Struct, frozen=True, gc=False):
    """A handler's answer, checked. `data` is JSON text: what was checked is what is sent and kept."""

    ok: bool
    data: msgspec.Raw | None = None
    fault: Fault | None = None
    intents: tuple[AnyIntent, ...] = ()
    notices: tuple[str, ...] = ()
    truncated: bool = False
    degraded: bool = False
    records: tuple[str, ...] = ()
    passed_on: tuple[str, ...] = ()
    """The tools whose answer this is, where a handler returned a child's as it is; the one that made it comes last."""

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to it but data."""
        return self.ok and not (self.intents or self.truncated or self.passed_on)


class ResultCheck:
    """One tool's rules for results, compiled once."""

    __slots__ = ("_is_simple", "_response", "_spec")

    def __init__(self, spec: ToolSpec) -> None:
        self._spec = spec
        self._response: Any = None
        self._is_simple = not (bytes(spec.response) or spec.redact)
        """Whether data has no rules of this tool's own."""

    def check(self, value: Any) -> Result:
        """Raises `BadResult`."""
        if self._is_simple and type(value) is ToolResponse and value.ok is True:
            quick = _quick(value)
            if quick is not None:
                return quick
        response = _as_response(value)
        if response.ok:
            return self._success(response)
        fault = response.error
        if fault is None or fault.type not in HANDLER_TYPES or fault.confirmation_request is not None:
            raise BadResult(f"a handler may not answer with {fault.type if fault else 'no error'}")
        kept = tuple(
            intent for intent in self._allowed(response) if intent_name(intent) in self._spec.intents_on_failure
        )
        fault, truncated = _bounded(fault)
        notices = (*response.notices, CUT_NOTICE) if truncated else response.notices
        return Result(False, fault=fault, intents=kept, notices=notices, truncated=truncated)

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
        shown = redact(data, self._spec.redact, "data") if self._spec.redact else data
        return Result(True, msgspec.Raw(encoded), None, intents, notices, truncated, degraded, _records(shown))

    def _allowed(self, response: ToolResponse) -> tuple[AnyIntent, ...]:
        for intent in response.intents:
            if intent_name(intent) not in self._spec.intents:
                raise BadResult(f"the tool may not emit {intent_name(intent)}; declare it in intents")
        return tuple(_whole(intent, response.data) for intent in response.intents)

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
            raise BadResult(f"data{place} breaks response: {error.kind.name}")


def _quick(response: ToolResponse) -> Result | None:
    """The same, in one go, for a success that is nothing but plain data with nothing doubtful in it; else None."""
    data = response.data
    if type(data) is not dict or response.intents != () or response.notices != ():
        return None
    try:
        encoded = msgspec.json.encode(data)
    except Exception:  # the long check says what is wrong with it
        return None
    if (
        len(encoded) > MAX_ANSWER
        or encoded.count(b"{") + encoded.count(b"[") > MAX_DEPTH
        or b"null" in encoded
        or b'"__' in encoded
    ):
        return None
    return Result(True, msgspec.Raw(encoded), degraded=data.get("degraded") is True, records=_records(data))


def _as_response(value: Any) -> ToolResponse:
    if type(value) is ToolResponse:
        return _sound(value)
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


def _sound(response: ToolResponse) -> ToolResponse:
    """The same, once every member is known to be of its type: a constructor believes whatever it is given."""
    if type(response.ok) is not bool:
        raise BadResult("ok must be true or false")
    if response.notices != () and not all(type(notice) is str for notice in msgspec.convert(response.notices, tuple)):
        raise BadResult("notices must be strings")
    if not all(isinstance(intent, AnyIntent) for intent in response.intents):
        raise BadResult("intents must be intents")
    return response


def _whole(intent: AnyIntent, data: Any) -> AnyIntent:
    """The intent, known to be sound; an end of the session that gives no reason or words has those of the data."""
    try:
        sound = parse_intent(msgspec.to_builtins(intent))
    except (msgspec.ValidationError, TypeError) as problem:
        raise BadResult(f"{intent_name(intent)} is malformed: {problem}") from None
    if not isinstance(sound, EndVoiceSession) or not isinstance(data, Mapping):
        return sound
    given = {name: data.get(name) for name in _WORDS if getattr(sound, name) is None}
    return msgspec.structs.replace(sound, **{name: word for name, word in given.items() if isinstance(word, str)})


def _bounded(fault: Fault) -> tuple[Fault, bool]:
    """A handler's fault with every member of its type, and whether it had to be shortened."""
    encoded = _encode(fault)
    try:
        checked = msgspec.json.decode(encoded, type=Fault)
    except msgspec.ValidationError as problem:
        raise BadResult(f"the error is none: {problem}") from None
    if len(encoded) <= MAX_ANSWER:
        return checked, False
    message, suggestion = checked.message[:_MOST_WORDS], (checked.suggestion or "")[:_MOST_WORDS] or None
    return msgspec.structs.replace(checked, message=message, suggestion=suggestion, details=None), True


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
        words = problem if isinstance(problem, TypeError) else type(problem).__name__  # others may quote the data
        raise BadResult(f"data is not JSON: {words}") from None
    if len(encoded) > MAX_RESULT:
        raise BadResult(f"data has {len(encoded)} bytes; {MAX_RESULT} are the most")
    if encoded.count(b"{") + encoded.count(b"[") > MAX_DEPTH and _is_too_deep(encoded):
        raise BadResult(f"data is nested deeper than {MAX_DEPTH} levels")
    if b"null" in encoded and _has_nan(msgspec.to_builtins(data)):
        raise BadResult("data holds NaN or an infinity, which JSON cannot say")
    if b'"__' in encoded and _has_dangerous_key(msgspec.to_builtins(data)):
        raise BadResult("data has a key that begins with two underscores")
    return encoded


_SQUARE = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _is_too_deep(encoded: bytes) -> bool:
    """Only brackets outside strings count; a result may have megabytes, so bytes are dropped in bulk first."""
    unescaped = encoded.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in encoded else encoded
    brackets = b"".join(unescaped.split(b'"')[::2]).translate(_SQUARE, _NO_BRACKETS)
    for _ in range(MAX_DEPTH):
        brackets = brackets.replace(b"[]", b"")  # takes away the innermost level
    return bool(brackets)


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
    found = _ids(data["results"]) if "results" in data else []
    if "records" in data:
        found += _ids(data["records"])
    return tuple(found[:50])


_id_of = itemgetter("id")


def _ids(entries: Any) -> list[str]:
    if not isinstance(entries, (list, tuple)):
        return []
    if set(map(type, entries)) == {dict}:
        try:
            ids = list(map(_id_of, entries))
        except KeyError:
            ids = []
        if set(map(type, ids)) == {str} and REDACTED not in ids:
            return ids
    shown = [entry.get("id") for entry in entries if isinstance(entry, Mapping)]
    return [id for id in shown if isinstance(id, str) and id != REDACTED]


def as_it_is(child: ToolResponse) -> Result:
    """A child's answer as its parent's. Its intents were applied when the child ended."""
    tools = (child.meta.tool_id, *child.meta.passed_on) if child.meta else ()
    if child.data is None:
        return Result(child.ok, None, child.error, notices=child.notices, passed_on=tools)
    encoded = _encode(child.data)
    truncated = len(encoded) > MAX_ANSWER
    data = msgspec.Raw(shorten(encoded, MAX_ANSWER) if truncated else encoded)
    return Result(child.ok, data, child.error, notices=child.notices, truncated=truncated, passed_on=tools)


def internal(spec: ToolSpec) -> Fault:
    """What the model learns of a bug."""
    return Fault(
        type=ErrorType.INTERNAL,
        message=f"{spec.tool_id} failed inside; this is a fault of the tool, not of the call",
        retryable=False,
        partial_side_effects=spec.side_effects == "writes",
        suggestion="Go on without it, and tell the user that it did not work.",
    )

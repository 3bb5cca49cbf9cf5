"""What a provider's refusal means, in one table: whose fault it is, and whether another try may help.

A status says it before a stream begins, a word in the body says it at any time: an error inside a stream comes with
status 200, so there only the word counts.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from ambidex.transports.base import FaultKind, ProviderFault
from ambidex.transports.shapes import text

_NO_RETRY: frozenset[FaultKind] = frozenset({"auth", "refused"})
_MOST_DETAIL = 300

_STATUSES: dict[int, FaultKind] = {
    401: "auth",
    403: "auth",
    407: "auth",
    408: "network",
    409: "network",
    425: "network",
    429: "rate_limit",
}
"""Any other 4xx: the request is refused; 5xx: the service is overloaded or broken; the rest is no answer at all."""

_WORDS: dict[str, FaultKind] = {
    # Anthropic
    "overloaded_error": "overloaded",
    "api_error": "overloaded",
    "timeout_error": "overloaded",
    "rate_limit_error": "rate_limit",
    "authentication_error": "auth",
    "permission_error": "auth",
    "billing_error": "auth",
    "invalid_request_error": "refused",
    "not_found_error": "refused",
    "request_too_large": "refused",
    # OpenAI
    "server_error": "overloaded",
    "service_unavailable_error": "overloaded",
    "rate_limit_exceeded": "rate_limit",
    "requests": "rate_limit",
    "tokens": "rate_limit",
    "insufficient_quota": "auth",
    "invalid_api_key": "auth",
    "context_length_exceeded": "refused",
    "invalid_prompt": "refused",
    # Gemini
    "RESOURCE_EXHAUSTED": "rate_limit",
    "UNAVAILABLE": "overloaded",
    "INTERNAL": "overloaded",
    "DEADLINE_EXCEEDED": "overloaded",
    "ABORTED": "overloaded",
    "UNAUTHENTICATED": "auth",
    "PERMISSION_DENIED": "auth",
    "INVALID_ARGUMENT": "refused",
    "FAILED_PRECONDITION": "refused",
    "NOT_FOUND": "refused",
}

_SENTENCES: dict[FaultKind, str] = {
    "rate_limit": "{provider} gets too many requests for now",
    "overloaded": "{provider} is overloaded or out of order",
    "auth": "{provider} does not accept the key, or the key may not do this",
    "refused": "{provider} refused the request",
    "network": "the connection to {provider} failed",
    "protocol": "{provider} sent something that cannot be understood",
}


def fault(
    provider: str,
    kind: FaultKind,
    *,
    status: int = 0,
    detail: str = "",
    retry_after_ms: int | None = None,
    retryable: bool | None = None,
    error: Mapping[str, Any] | None = None,
) -> ProviderFault:
    """A fault with our own sentence: the provider's words may quote a key or the user, so they are detail only."""
    return ProviderFault(
        kind,
        _SENTENCES[kind].format(provider=provider) + (f" (status {status})" if status else ""),
        retryable=kind not in _NO_RETRY if retryable is None else retryable,
        retry_after_ms=retry_after_ms,
        status=status,
        detail=detail[:_MOST_DETAIL],
        code=text((error or {}).get("code"))[:_MOST_DETAIL],
        param=text((error or {}).get("param"))[:_MOST_DETAIL],
    )


def fault_of_answer(provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderFault:
    """A status that is not 200, and whatever stood in the body."""
    error = error_in(_parsed(body))
    kind = _STATUSES.get(status) or _kind_of_status(status)
    if (word := _word(error)) and _WORDS[word] == "auth":
        kind = "auth"  # a quota that is used up comes as 429, and waiting does not help
    wait = retry_after_ms(headers, error)
    detail = f"{word or ''} {error.get('message', '')}".strip()
    return fault(provider, kind, status=status, detail=detail, retry_after_ms=wait, error=error)


def fault_in_stream(provider: str, error: Mapping[str, Any]) -> ProviderFault:
    """An error that came as an event. A word nobody knows may be passing, like most of them."""
    word = _word(error)
    code = error.get("code")
    kind: FaultKind = "overloaded"
    if word:
        kind = _WORDS[word]
    elif isinstance(code, int) and not isinstance(code, bool) and 400 <= code < 600:
        kind = _STATUSES.get(code) or _kind_of_status(code)
    detail = f"{word or ''} {error.get('message', '')}".strip()
    return fault(provider, kind, detail=detail, retry_after_ms=retry_after_ms({}, error))


def error_in(body: Any) -> dict[str, Any]:
    """The error of a body, however it is wrapped; empty where there is none."""
    if isinstance(body, list) and body:
        body = body[0]
    found = body.get("error") if isinstance(body, dict) else None
    if isinstance(found, str):
        return {"message": found}
    return found if isinstance(found, dict) else {}


def retry_after_ms(headers: Mapping[str, str], error: Mapping[str, Any]) -> int | None:
    """By header, in milliseconds, seconds or as a date; or, as Gemini does it, in the body."""
    milliseconds = _number(headers.get("retry-after-ms"), 1)
    if milliseconds is not None:
        return milliseconds
    told = headers.get("retry-after")
    return _number(told, 1000) if _number(told, 1000) is not None else _until(told) or _in_details(error)


def _number(text: str | None, scale: int) -> int | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return round(value * scale) if 0 <= value < 1e9 else None


def _until(date: str | None) -> int | None:
    try:
        moment = parsedate_to_datetime(date or "")
    except (TypeError, ValueError):
        return None
    return max(0, round((moment.timestamp() - time.time()) * 1000))


def _in_details(error: Mapping[str, Any]) -> int | None:
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        told = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(told, str) and told.endswith("s"):
            return _number(told[:-1], 1000)
    return None


def _kind_of_status(status: int) -> FaultKind:
    if 400 <= status < 500:
        return "refused"
    return "overloaded" if status >= 500 else "protocol"


def _word(error: Mapping[str, Any]) -> str | None:
    """The most telling word: a code says more than a type."""
    told = (error.get(name) for name in ("code", "status", "type"))
    return next((word for word in told if isinstance(word, str) and word in _WORDS), None)


def _parsed(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None

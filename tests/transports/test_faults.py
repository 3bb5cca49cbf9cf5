"""What a provider's refusal means, and how long it asks to wait."""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.transports.faults import fault_in_stream, fault_of_answer, retry_after_ms

STATUSES = [
    (400, "refused", False),
    (401, "auth", False),
    (403, "auth", False),
    (404, "refused", False),
    (408, "network", True),
    (409, "network", True),
    (413, "refused", False),
    (422, "refused", False),
    (429, "rate_limit", True),
    (500, "overloaded", True),
    (503, "overloaded", True),
    (529, "overloaded", True),
    (302, "protocol", True),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(("status", "kind", "retryable"), STATUSES)
def test_a_status_says_what_went_wrong_and_whether_another_try_may_help(
    status: int, kind: str, retryable: bool
) -> None:
    found = fault_of_answer("openai", status, {}, b"<html>no JSON</html>")
    assert (found.kind, found.retryable, found.status) == (kind, retryable, status)


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, "overloaded", True),
        ({"type": "rate_limit_error"}, "rate_limit", True),
        ({"type": "invalid_request_error"}, "refused", False),
        ({"type": "authentication_error"}, "auth", False),
        ({"type": "server_error", "code": None}, "overloaded", True),
        ({"code": 503, "status": "UNAVAILABLE"}, "overloaded", True),
        ({"code": 429}, "rate_limit", True),
        ({"code": 400, "status": "INVALID_ARGUMENT"}, "refused", False),
        ({"type": "something_new"}, "overloaded", True),
        ({}, "overloaded", True),
    ],
)
def test_an_error_inside_a_stream_is_judged_by_its_word_since_its_status_is_200(
    error: dict[str, Any], kind: str, retryable: bool
) -> None:
    found = fault_in_stream("anthropic", error)
    assert (found.kind, found.retryable) == (kind, retryable)


def test_a_quota_that_is_used_up_is_not_tried_again_though_its_status_says_wait() -> None:
    body = orjson.dumps({"error": {"type": "insufficient_quota", "code": "insufficient_quota", "message": "Pay."}})
    found = fault_of_answer("openai", 429, {}, body)
    assert (found.kind, found.retryable) == ("auth", False)


def test_the_time_to_wait_is_read_wherever_a_service_tells_it() -> None:
    assert retry_after_ms({"retry-after": "7"}, {}) == 7000
    assert retry_after_ms({"retry-after-ms": "250", "retry-after": "7"}, {}) == 250
    assert retry_after_ms({}, {"details": [{"retryDelay": "12.5s"}]}) == 12_500
    date = retry_after_ms({"retry-after": formatdate(time.time() + 100, usegmt=True)}, {})
    assert date is not None
    assert 0 < date <= 100_000
    assert retry_after_ms({"retry-after": "soon"}, {"details": ["x", {"retryDelay": 3}]}) is None


@pytest.mark.threat("L01", "T02")
def test_the_providers_own_words_are_detail_and_never_the_message() -> None:
    body = orjson.dumps({"error": {"message": "Incorrect API key provided: sk-marker"}})
    found = fault_of_answer("openai", 401, {}, body)
    assert "sk-marker" not in f"{found} {found.message}"
    assert "sk-marker" in found.detail


@pytest.mark.threat("T06")
@settings(max_examples=100, deadline=None)
@given(status=st.integers(100, 599), body=JSON, after=st.text(max_size=12))
def test_any_error_body_becomes_a_fault(status: int, body: Any, after: str) -> None:
    found = fault_of_answer("gemini", status, {"retry-after": after}, orjson.dumps({"error": body}))
    assert found.retry_after_ms is None or found.retry_after_ms >= 0
    if isinstance(body, dict):
        assert fault_in_stream("gemini", body).kind

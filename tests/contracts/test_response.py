from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex import ErrorType, Fault, Intent, ToolError, ToolResponse, fail, ok
from ambidex.contracts import schemas
from ambidex.contracts.envelope import envelope_problems
from ambidex.contracts.faults import ERROR_TABLE, HANDLER_TYPES, Layer, Verdict
from ambidex.contracts.intents import INTENT_NAMES, AnyIntent, intent_name, parse_intent
from ambidex.contracts.response import RESPONSE_VERSION, ConfirmationRequest, Meta


def wire(response: ToolResponse) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(msgspec.json.encode(response))
    return value


META = Meta(
    tool_id="greet",
    tool_version="1.0.0",
    registry_version="1.0.00000000",
    response_schema_version=RESPONSE_VERSION,
    duration=1.5,
    timestamp="2026-01-31T09:30:00Z",
    call_id="c1",
    turn=1,
    attempt=1,
)


def test_ok_stands_first_on_the_wire() -> None:
    assert msgspec.json.encode(ok({"a": 1})).startswith(b'{"ok":true,')


def test_a_response_is_either_ok_or_has_one_error() -> None:
    with pytest.raises(ValueError, match="exactly one"):
        ToolResponse(ok=False)
    with pytest.raises(ValueError, match="carries no error"):
        ToolResponse(
            ok=True, error=Fault(type=ErrorType.AUTH, message="x", retryable=False, partial_side_effects=False)
        )


def test_retryable_and_partial_side_effects_are_always_on_the_wire() -> None:
    error = wire(fail(ErrorType.CONFLICT, "taken"))["error"]
    assert error == {"type": "CONFLICT", "message": "taken", "retryable": False, "partialSideEffects": False}


def test_names_on_the_wire_are_camel_case_except_confirmation_request() -> None:
    request = ConfirmationRequest(id="r", tool="t", args={}, preview="p", expires="2026-01-31T09:30:00Z")
    fault = Fault(
        type=ErrorType.CONFIRMATION_REQUIRED,
        message="ask",
        retryable=False,
        partial_side_effects=False,
        retry_after_ms=5,
        confirmation_request=request,
    )
    assert {"retryAfterMs", "partialSideEffects", "confirmation_request"} <= wire(ToolResponse(ok=False, error=fault))[
        "error"
    ].keys()


@given(
    st.sampled_from(list(ErrorType)), st.text(min_size=1), st.booleans(), st.none() | st.text(), st.integers(0, 10**6)
)
def test_whatever_fail_makes_is_an_envelope(
    kind: ErrorType, message: str, retryable: bool, suggestion: str | None, after: int
) -> None:
    failed = fail(kind, message, retryable=retryable, suggestion=suggestion, retry_after_ms=after)
    assert envelope_problems(wire(failed), with_meta=False) == []
    with_meta = msgspec.structs.replace(failed, meta=META)
    assert envelope_problems(wire(with_meta)) == []


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"ok": "yes"},
        {"ok": 1},
        {"ok": False},
        {"ok": True, "error": {"type": "AUTH", "message": "x"}},
        {"ok": False, "data": {}, "error": {"type": "AUTH", "message": "x"}},
        {"ok": False, "error": {"type": "NEW", "message": "x"}},
        {"ok": True, "intents": [{"type": "DANCE"}]},
        {"ok": True, "surprise": 1},
        {"ok": True, "meta": {}},
    ],
)
def test_what_is_no_envelope_is_told(value: Any) -> None:
    assert envelope_problems(value, with_meta=False)


def test_an_envelope_on_the_wire_needs_meta() -> None:
    assert envelope_problems({"ok": True})
    assert not envelope_problems({"ok": True}, with_meta=False)


def test_every_error_type_has_its_row_and_the_published_schema_names_them_all() -> None:
    assert set(ERROR_TABLE) == set(ErrorType)
    published = schemas.schema(schemas.RESPONSE)["$defs"]["error"]["properties"]["type"]["enum"]
    assert published == [str(kind) for kind in ErrorType]


@pytest.mark.parametrize(
    "kind",
    [
        "MODE_RESTRICTED",
        "UNAVAILABLE",
        "BUDGET_EXCEEDED",
        "LOOP_DETECTED",
        "CONFIRMATION_REQUIRED",
        "INTERNAL",
        "CANCELLED",
    ],
)
def test_types_of_the_pipeline_are_not_for_handlers(kind: str) -> None:
    assert ErrorType(kind) not in HANDLER_TYPES
    assert Layer.PIPELINE in ERROR_TABLE[ErrorType(kind)].layers


def test_left_out_retryable_means_what_the_table_says() -> None:
    for kind, rule in ERROR_TABLE.items():
        error = fail(kind, "x").error
        assert error is not None
        assert error.retryable is (rule.retryable is Verdict.YES)


def test_a_tool_error_carries_the_envelope_it_means() -> None:
    raised = ToolError(ErrorType.TRANSIENT, "the network failed", retry_after_ms=500)
    assert raised.response == fail(ErrorType.TRANSIENT, "the network failed", retry_after_ms=500)
    assert str(raised) == "the network failed"


def test_intents_are_written_in_three_ways_and_are_one_thing() -> None:
    by_attribute: Any = Intent.END_VOICE_SESSION(after="immediately")
    by_name: Any = Intent("END_VOICE_SESSION", after="immediately")
    by_mapping: Any = parse_intent({"type": "END_VOICE_SESSION", "after": "immediately"})
    assert by_attribute == by_name == by_mapping
    assert wire(ok(intents=[by_attribute]))["intents"] == [{"type": "END_VOICE_SESSION", "after": "immediately"}]
    assert ok(intents=[{"type": "SUPPRESS_AUDIO"}]).intents == (Intent.SUPPRESS_AUDIO(),)


@pytest.mark.parametrize(
    "value",
    [
        {"type": "DANCE"},
        {},
        {"type": "END_VOICE_SESSION", "after": "tomorrow"},
        {"type": "SUPPRESS_AUDIO", "value": 1},
        {"type": "SUPPRESS_AUDIO", "extra": 1},
        {"type": "SET_PENDING_MESSAGE"},
        "END_VOICE_SESSION",
    ],
)
def test_an_unknown_or_malformed_intent_is_refused(value: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        parse_intent(value)


def test_intent_names_are_the_tags() -> None:
    classes = AnyIntent.__args__
    assert sorted(str(kind.__struct_config__.tag) for kind in classes) == list(INTENT_NAMES)
    assert intent_name(Intent.SUPPRESS_AUDIO()) == "SUPPRESS_AUDIO"

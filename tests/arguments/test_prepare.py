"""From what a model sent to what will be hashed, previewed, recorded and run."""

from __future__ import annotations

from typing import Any

import pytest

from ambidex.arguments.prepare import ArgumentPlan, Prepared
from ambidex.contracts.call import Mode
from ambidex.contracts.response import Fault
from ambidex.dialect.validator import SchemaError

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["query"],
    "properties": {
        "query": {"type": "string", "minLength": 2, "maxLength": 5},
        "top_k": {"type": "integer", "default": 5},
        "size": {"type": "number"},
        "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "tags": {"type": "object", "additionalProperties": {"type": "integer"}},
        "place": {"enum": ["cafe\u0301"]},
    },
}
PLAN = ArgumentPlan(SCHEMA, {Mode.VOICE: {"top_k": {"maximum": 3}}})


def prepared(raw: Any, mode: Mode = Mode.TEXT) -> Prepared:
    answer = PLAN.prepare(raw, mode)
    assert isinstance(answer, Prepared), answer
    return answer


def rule_of(raw: Any) -> str:
    answer = PLAN.prepare(raw, Mode.TEXT)
    assert isinstance(answer, Fault)
    assert answer.details is not None
    return str(answer.details["errors"][0]["rule"])


def test_defaults_are_filled_in_and_then_clamped() -> None:
    answer = prepared('{"query":"who"}', Mode.VOICE)
    assert answer.args == {"query": "who", "top_k": 3}
    assert answer.canonical == b'{"query":"who","top_k":3}'
    assert answer.defaulted == ("/top_k",)
    assert answer.clamped == {"top_k": {"from": 5, "to": 3}}
    assert len(answer.notices) == 1


def test_a_default_left_out_and_one_given_are_the_same_question() -> None:
    assert prepared('{"query":"who"}').canonical == prepared('{"top_k": 5, "query": "who"}').canonical


def test_text_bytes_and_mapping_are_the_same_question() -> None:
    forms: list[Any] = ['{"query":"who","top_k":4}', b'{"top_k":4.0,"query":"who"}', {"query": "who", "top_k": 4}]
    assert len({prepared(form).canonical for form in forms}) == 1


@pytest.mark.threat("V09")
def test_an_integral_float_becomes_an_integer() -> None:
    assert type(prepared('{"query":"who","top_k":4.0}').args["top_k"]) is int


def test_what_is_checked_is_the_text_that_will_run() -> None:
    assert prepared({"query": "e\u0301" * 5}).args["query"] == "\u00e9" * 5
    assert rule_of({"query": "e\u0301"}) == "minLength"


def test_a_schema_typed_in_another_unicode_form_still_matches() -> None:
    assert prepared({"query": "who", "place": "cafe\u0301"}).args["place"] == "caf\u00e9"
    assert prepared({"query": "who", "place": "caf\u00e9"}).args["place"] == "caf\u00e9"


def test_two_keys_that_are_one_in_nfc_are_refused() -> None:
    assert rule_of({"query": "who", "tags": {"\u00e9": 1, "e\u0301": 2}}) == "duplicateKeys"


@pytest.mark.threat("V03")
@pytest.mark.parametrize("raw", ['{"query":"who","top_k":1e20}', '{"query":"who","either":9007199254740993.0}'])
def test_a_float_too_large_to_be_exact_is_no_integer(raw: str) -> None:
    assert rule_of(raw) == "type"


@pytest.mark.threat("V03")
def test_thousands_of_such_floats_are_refused_as_well() -> None:
    plan = ArgumentPlan({"type": "object", "properties": {"x": {"type": "array", "items": {"type": "integer"}}}})
    assert isinstance(plan.prepare('{"x":[' + "1e20," * 10_000 + "1]}", Mode.TEXT), Fault)


def test_a_huge_number_is_fine_where_a_number_is_due() -> None:
    assert prepared('{"query":"who","size":6.02e23}').args["size"] == 6.02e23


def test_bad_text_and_bad_arguments_are_answered() -> None:
    assert rule_of('{"query":') == "json"
    assert rule_of("{}") == "required"


def test_a_schema_that_is_none_is_refused_when_the_plan_is_made() -> None:
    with pytest.raises(SchemaError):
        ArgumentPlan({"type": "nonsense"})

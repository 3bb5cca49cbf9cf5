"""From what a model sent to what will be hashed, previewed, recorded and run."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


# In one go

_DEFAULTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {"default": {"b": [1, {"c": 0.5}]}},
        "b": {"type": "object", "properties": {"c": {"type": "integer", "default": 1}, "d": {"default": "é"}}},
        "n": {"type": "integer"},
        "list": {"type": "array", "items": {"type": "object", "properties": {"k": {"default": 1.0}}}},
    },
}
PLANS = (
    PLAN,
    ArgumentPlan({"type": "object"}),
    ArgumentPlan(_DEFAULTS, {Mode.VOICE: {"n": {"maximum": 3}, "list": {"maxItems": 1}}}),
)
_NUMBERS = st.sampled_from(
    "0 -0 1 -1 1.0 -0.0 4.50 1e2 1E2 1e+2 1e-7 1.5e300 1e16 1e20 123456789012345678901 18446744073709551615 "
    "18446744073709551616 -9223372036854775808 -9223372036854775809 9007199254740993.0 0.1 1e400 NaN 01".split()
)
_WORDS = st.sampled_from(
    ["who", "é", "e\u0301", "a b", ":", "{", "[[", "__x", "1.0", "+", ".0", "\\n", '\\"', "\\u0000", "\x01"]
)
_STRINGS = _WORDS.map(lambda word: f'"{word}"')
_NAMES = st.sampled_from(
    ["query", "top_k", "size", "either", "tags", "place", "a", "b", "c", "d", "n", "list", "k", "__x"]
)


def _object(pairs: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f'"{name}" : {value}' for name, value in pairs) + "}"


_VALUES = st.recursive(
    _NUMBERS | _STRINGS | st.sampled_from(["true", "false", "null", ""]),
    lambda below: (
        st.lists(below, max_size=3).map(lambda items: f"[{','.join(items)}]")
        | st.lists(st.tuples(_NAMES, below), max_size=3).map(_object)
    ),
    max_leaves=6,
)
TEXTS = st.lists(st.tuples(_NAMES, _VALUES), max_size=4).map(_object) | _VALUES


@settings(max_examples=100, deadline=None)
@given(text=TEXTS, mode=st.sampled_from(Mode), plan=st.sampled_from(PLANS))
def test_in_one_go_it_is_the_same_or_nothing(text: str, mode: Mode, plan: ArgumentPlan) -> None:
    quick = plan.quick(text.encode(), mode)
    if quick is not None:
        slow = plan.prepare(text.encode(), mode)
        assert isinstance(slow, Prepared)
        assert quick == slow
        assert orjson.dumps(quick.args) == orjson.dumps(slow.args)  # 1 and 1.0 are equal


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    "text", ['{"query":"who"}', b'{"query":"who"}', b' {"top_k": 5 , "query" : "who"}', b'{"query":"who","size":0.5}']
)
def test_ordinary_text_is_prepared_in_one_go(text: str | bytes, mode: Mode) -> None:
    quick = PLAN.quick(text, mode)
    assert quick is not None
    assert quick == prepared(text, mode)


@pytest.mark.parametrize(
    "raw",
    [
        {"query": "who"},
        '{"query":"é"}',
        '{"query":"é"}'.encode(),
        b'{"query":"wh\\u006f"}',
        b'{"query":"who","query":"who"}',
        b'{"query":"who","size":1.0}',
        b'{"query":"who","size":1e20}',
        b'{"query":"who","tags":{"__x":1}}',
        b'{"query":"w"}',
        b'{"query":',
        b"[]",
        b'{"query":' + b"[" * 32 + b"]" * 32 + b"}",
        b'{"query":"who"}' + b" " * 70_000,
        b"",
    ],
    ids=lambda raw: str(raw)[:30],
)
def test_what_may_be_doubtful_is_left_to_a_closer_look(raw: Any) -> None:
    assert PLAN.quick(raw, Mode.TEXT) is None


def test_defaults_are_fresh_for_every_call_in_one_go_as_well() -> None:
    first, second = (PLANS[2].quick(b"{}", Mode.TEXT) for _ in range(2))
    assert first is not None
    assert second is not None
    first.args["a"]["b"].append("mine")
    assert second.args["a"] == {"b": [1, {"c": 0.5}]}
    assert PLANS[2].prepare(b"{}", Mode.TEXT) == second

"""Whatever a model or an SDK sends is parsed strictly or answered; nothing raises."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.arguments.strategies import OBJECTS

from ambidex.arguments.parse import Parsed, parse
from ambidex.arguments.plain import MAX_BYTES, MAX_DEPTH
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault


def rule_of(raw: Any) -> str | None:
    """The rule that a refusal names; None when it was accepted."""
    answer = parse(raw)
    if isinstance(answer, Parsed):
        return None
    assert answer.type is ErrorType.VALIDATION
    assert answer.details is not None
    return str(answer.details["errors"][0]["rule"])


def nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


def nested_value(levels: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return dict(value)


@pytest.mark.threat("V01")
def test_32_levels_are_read_and_33_refused() -> None:
    assert rule_of(nested(MAX_DEPTH)) is None
    assert rule_of(nested(MAX_DEPTH + 1)) == "depth"
    assert rule_of(nested_value(MAX_DEPTH)) is None
    assert rule_of(nested_value(MAX_DEPTH + 1)) == "depth"


@pytest.mark.threat("V01")
@pytest.mark.parametrize("levels", [1_000, 10_000, 100_000])
@pytest.mark.parametrize("bracket", ["[", '{"a":'])
def test_deep_nesting_never_reaches_recursive_code(levels: int, bracket: str) -> None:
    assert rule_of(bracket * levels) in ("depth", "size")
    assert rule_of(nested_value(levels)) == "depth"


@pytest.mark.threat("V01")
def test_brackets_inside_strings_are_no_levels() -> None:
    text = '{"a":"' + "[{" * 50 + '\\"[[","b":"\\\\","c":[[1]]}'
    assert rule_of(text) is None


@pytest.mark.threat("V02")
def test_64_kib_are_read_and_one_byte_more_refused() -> None:
    room = MAX_BYTES - len('{"a":""}')
    assert rule_of('{"a":"%s"}' % ("x" * room)) is None
    assert rule_of('{"a":"%s"}' % ("x" * (room + 1))) == "size"
    assert rule_of({"a": "x" * room}) is None
    assert rule_of({"a": "x" * (room + 1)}) == "size"
    assert rule_of({"a": "é" * (room // 2 + 1)}) == "size"


@pytest.mark.threat("V02")
def test_a_small_value_shared_without_end_is_refused() -> None:
    shared: Any = ["x"]
    for _ in range(25):
        shared = [shared] * 4
    assert rule_of({"a": shared}) == "size"


@pytest.mark.threat("V03")
@pytest.mark.parametrize(
    "literal",
    ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", str(2**64), str(-(2**63) - 1), "9" * 5000, "-" + "9" * 30],
)
@pytest.mark.parametrize("place", ['{"a":%s}', '{"a":[1,{"b":%s}]}', '{"\\u0061":%s}'])
def test_numbers_that_json_or_64_bits_cannot_hold_are_refused(literal: str, place: str) -> None:
    assert rule_of(place % literal) in ("json", "number")


@pytest.mark.threat("V03")
@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**64, -(2**63) - 1, 10**400])
def test_the_same_numbers_from_an_sdk_are_refused(value: Any) -> None:
    assert rule_of({"a": [{"b": value}]}) == "number"


@pytest.mark.parametrize("literal", [str(2**64 - 1), str(-(2**63)), "1e20", "6.02e+23", "0.12345678901234567890123"])
def test_numbers_within_bounds_are_read(literal: str) -> None:
    assert rule_of(f'{{"a":{literal},"id":"99999999999999999999999"}}') is None


@pytest.mark.threat("V04")
@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"a":{"b":1,"b":1}}',
        '{"a":[{"b":1,"\\u0062":1}]}',
        '{"a\\"":1,"a\\"":1}',
        '{"a":":","a":"::"}',
        '{"a":"\\\\","a":"\\":"}',
    ],
)
def test_a_key_given_twice_is_refused(text: str) -> None:
    assert rule_of(text) == "duplicateKeys"


@pytest.mark.parametrize("text", ['{"a":"b:c","d":":"}', '{"a":"\\":\\"","b":"\\\\:"}', '{"a":{"b":1},"b":{"b":1}}'])
def test_colons_in_texts_are_no_second_keys(text: str) -> None:
    assert rule_of(text) is None


@pytest.mark.threat("V05")
@pytest.mark.parametrize(
    "raw",
    [b'{"a":"\xff"}', b'{"a":"\xed\xa0\x80"}', '{"a":"\\ud800"}', '{"a":"\ud800"}', {"a": "\ud800"}, {"\udfff": 1}],
)
def test_text_that_is_no_unicode_is_refused(raw: Any) -> None:
    assert rule_of(raw) in ("json", "text")


@pytest.mark.threat("V05")
@pytest.mark.parametrize("raw", ['{"a":"\\u0000"}', '{"\\u0000":1}', '{"a":"\x00"}', {"a": "\x00"}, {"a": ["x\x00"]}])
def test_nul_is_refused(raw: Any) -> None:
    assert rule_of(raw) in ("json", "text")


def test_the_words_backslash_u0000_are_only_words() -> None:
    assert rule_of('{"a":"\\\\u0000"}') is None


@pytest.mark.threat("V10")
@pytest.mark.parametrize(
    "raw",
    [
        '{"__class__":1}',
        '{"a":[{"__proto__":{}}]}',
        '{"a":{"\\u005f_init__":1}}',
        {"__class__": 1},
        {"a": [{"__dict__": 1}]},
    ],
)
def test_keys_that_some_language_takes_for_more_than_a_name_are_refused(raw: Any) -> None:
    assert rule_of(raw) == "keys"


@pytest.mark.parametrize("raw", ['{"a":"__class__"}', '{"a__b":1}', {"constructor": "Ferrari", "_x": 1}])
def test_ordinary_names_and_texts_with_underscores_are_read(raw: Any) -> None:
    assert rule_of(raw) is None


@pytest.mark.parametrize(
    "raw", ["", "{", '{"a":1', '{"a":1}}', "{} {}", "\ufeff{}", "{'a':1}", '{"a":1,}', "x", b"\x00"]
)
def test_anything_but_one_complete_object_is_refused(raw: Any) -> None:
    assert rule_of(raw) == "json"


@pytest.mark.parametrize("raw", ["[]", "null", '"{}"', "1", "true", None, 5, [], object()])
def test_another_value_than_an_object_is_refused(raw: Any) -> None:
    assert rule_of(raw) == "type"


class Hostile(Mapping[str, Any]):
    """A mapping of an SDK that fails in its own way."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("MARKER")

    def __iter__(self) -> Iterator[str]:
        return iter(["a"])

    def __len__(self) -> int:
        return 1


CYCLE: dict[str, Any] = {}
CYCLE["a"] = [CYCLE]


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        ({1: 2}, "keys"),
        ({"a": {None: 1}}, "keys"),
        ({"a": (1,)}, "json"),
        ({"a": {1}}, "json"),
        ({"a": b"x"}, "json"),
        ({"a": Decimal(1)}, "json"),
        ({"a": object()}, "json"),
        (CYCLE, "depth"),
        (Hostile(), "json"),
    ],
)
def test_what_only_python_can_say_is_refused(raw: Any, rule: str) -> None:
    assert rule_of(raw) == rule


def test_a_mapping_of_an_sdk_becomes_plain_data_of_its_own() -> None:
    inner = {"b": [1]}
    parsed = parse(MappingProxyType({"a": MappingProxyType(inner)}))
    assert isinstance(parsed, Parsed)
    inner["b"].append(2)
    assert parsed.args == {"a": {"b": [1]}}
    assert type(parsed.args["a"]) is dict


@pytest.mark.threat("V11")
@pytest.mark.parametrize(
    "raw", ['{"MARKER":', '{"a":"MARKER\\ud800"}', '{"__MARKER__":"MARKER"}', {"__MARKER": 1}, Hostile()]
)
def test_a_refusal_repeats_nothing_of_the_text(raw: Any) -> None:
    answer = parse(raw)
    assert isinstance(answer, Fault)
    assert "MARKER" not in f"{answer.message}{answer.details}"


@settings(max_examples=150, deadline=None)
@given(OBJECTS, st.booleans())
def test_valid_text_means_what_the_standard_library_says(value: dict[str, Any], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    for raw in (text, text.encode(), value):
        parsed = parse(raw)
        assert isinstance(parsed, Parsed)
        assert parsed.args == json.loads(text)
        assert json.loads(parsed.text) == parsed.args


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60) | st.text('{}[]":,\\eE+-.0123456789utrfalsn ', max_size=40))
def test_any_text_is_parsed_or_refused_as_the_standard_library_would(raw: bytes | str) -> None:
    answer = parse(raw)
    if isinstance(answer, Parsed):
        assert json.loads(raw) == answer.args


ANYTHING = st.recursive(
    st.none() | st.floats() | st.integers() | st.text() | st.binary() | st.decimals() | st.tuples(st.integers()),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=3) | st.integers(), below, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=4), ANYTHING, max_size=4))
def test_any_mapping_is_copied_exactly_or_refused(raw: dict[str, Any]) -> None:
    answer = parse(raw)
    assert isinstance(answer, Parsed | Fault)
    if isinstance(answer, Parsed):
        assert answer.args == raw

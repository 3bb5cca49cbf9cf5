from __future__ import annotations

import contextlib
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.dialect.formats import STRING_FORMATS
from ambidex.dialect.validator import SchemaError, compile_schema


@pytest.mark.threat("V06")
@pytest.mark.parametrize("pattern", ["(?=a)b", "(?!a)b", "(?<=a)b", "(a)\\1", "(?P<x>a)(?P=x)"])
def test_patterns_that_need_backtracking_do_not_compile(pattern: str) -> None:
    with pytest.raises(SchemaError):
        compile_schema({"pattern": pattern})


@pytest.mark.threat("V06")
def test_a_pattern_that_would_explode_elsewhere_answers_on_ten_kilobytes() -> None:
    check = compile_schema({"pattern": "^(a+)+$"})
    assert check.is_valid("a" * 10_000)
    assert not check.is_valid("a" * 10_000 + "b")


@pytest.mark.threat("V06")
def test_the_engine_means_what_we_think_by_dollar_digit_and_word() -> None:
    assert not compile_schema({"pattern": "^a$"}).is_valid("a\n")
    assert not compile_schema({"pattern": "^\\d$"}).is_valid("٣")
    assert not compile_schema({"pattern": "^\\w$"}).is_valid("é")
    assert compile_schema({"pattern": "^\\w\\d$"}).is_valid("a3")


@pytest.mark.threat("V08")
@pytest.mark.parametrize(
    "reference", ["http://127.0.0.1:9/x.json", "https://example.org/x", "file:///etc/hostname", "other"]
)
def test_a_reference_to_another_document_is_never_followed(reference: str) -> None:
    with pytest.raises(SchemaError):
        compile_schema({"$ref": reference})


@pytest.mark.threat("V08")
def test_twenty_thousand_unique_objects_are_compared() -> None:
    check = compile_schema({"type": "array", "uniqueItems": True})
    items: list[Any] = [{"id": number, "tags": [number]} for number in range(20_000)]
    assert check.is_valid(items)
    assert not check.is_valid([*items, {"id": 0, "tags": [0]}])


@pytest.mark.parametrize(("name", "example"), STRING_FORMATS.items())
def test_every_format_accepts_its_example_and_refuses_rubbish(name: str, example: str) -> None:
    check = compile_schema({"format": name})
    assert check.is_valid(example)
    refused = [text for text in ("\x00 not {valid [", "", "((") if not check.is_valid(text)]
    assert refused, name


def test_an_unknown_format_does_not_compile() -> None:
    with pytest.raises(SchemaError):
        compile_schema({"format": "phone"})


@pytest.mark.parametrize(("name", "edge"), [("int32", 2**31), ("int64", 2**63)])
def test_number_formats_are_bounds(name: str, edge: int) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "format": name}}}
    check = compile_schema(schema)
    assert check.is_valid({"n": edge - 1})
    assert not check.is_valid({"n": edge})
    assert not check.is_valid({"n": -edge - 1})
    assert "maximum" not in schema["properties"]["n"]  # type: ignore[index]


def test_a_tighter_bound_of_the_author_stays() -> None:
    check = compile_schema({"type": "integer", "format": "int32", "maximum": 5})
    assert not check.is_valid(6)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(string.printable, max_size=8),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(ANYTHING)
def test_whatever_is_given_either_compiles_or_is_refused_as_a_schema_error(value: Any) -> None:
    with contextlib.suppress(SchemaError):
        assert isinstance(compile_schema(value).is_valid({}), bool)

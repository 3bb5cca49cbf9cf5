"""Equal questions have equal bytes."""

from __future__ import annotations

import unicodedata
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.arguments.strategies import OBJECTS

from ambidex.arguments.canonical import KeysCollide, canonical_bytes, is_doubtful, normalise


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": 1.0}),
        ({"a": 0}, {"a": -0.0}),
        ({"a": "\u00e9"}, {"a": "e\u0301"}),
        ({"\u00e9": 1}, {"e\u0301": 1}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": [{"b": 3}]}, {"a": [{"b": 3.0}]}),
    ],
)
def test_the_same_question_in_two_forms_has_the_same_bytes(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert canonical_bytes(normalise(one)) == canonical_bytes(normalise(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": True}, {"a": 1}),
        ({"a": "1"}, {"a": 1}),
        ({"a": None}, {}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": 1.5}, {"a": 1}),
    ],
)
def test_different_questions_have_different_bytes(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert canonical_bytes(normalise(one)) != canonical_bytes(normalise(other))


def test_two_keys_that_become_one_are_refused() -> None:
    with pytest.raises(KeysCollide):
        normalise({"a": {"\u00e9": 1, "e\u0301": 2}})


def test_a_float_that_is_no_exact_integer_stays_a_float() -> None:
    assert type(normalise({"a": 2.0**53})["a"]) is float
    assert type(normalise({"a": 2.0**53 - 1})["a"]) is int


@settings(max_examples=200, deadline=None)
@given(OBJECTS)
def test_text_that_is_not_doubtful_is_canonical_already(value: dict[str, Any]) -> None:
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    if not is_doubtful(text):
        assert canonical_bytes(normalise(value)) == text


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text("abc", max_size=3), st.text(st.characters(exclude_categories=["Cs"])), max_size=3))
def test_the_canonical_form_is_nfc_and_its_own_canonical_form(value: dict[str, Any]) -> None:
    once = normalise(value)
    assert normalise(once) == once
    assert all(unicodedata.is_normalized("NFC", text) for text in once.values())

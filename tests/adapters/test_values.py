"""JSON values as JSON Schema sees them."""

from __future__ import annotations

from typing import Any

import pytest

from ambidex.adapters.values import equal, is_of, text_of, type_of, types_in


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "boolean"),
        (1, "integer"),
        (1.0, "integer"),
        (0.5, "number"),
        ("", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_every_value_has_one_type(value: Any, kind: str) -> None:
    assert type_of(value) == kind
    assert is_of(value, [kind])


def test_an_integer_is_a_number_and_a_boolean_is_neither() -> None:
    assert is_of(1, ["number"])
    assert not is_of(True, ["number", "integer"])


def test_true_does_not_equal_one_however_deep() -> None:
    assert equal([{"a": 1}], [{"a": 1.0}])
    assert not equal([{"a": 1}], [{"a": True}])
    assert not equal([1], [1, 1])


def test_the_types_of_values_are_sorted_and_number_covers_integer() -> None:
    assert types_in(["x", 1]) == ["integer", "string"]
    assert types_in([None, 1, 0.5]) == ["null", "number"]


def test_text_of_a_value_is_what_an_author_would_write() -> None:
    assert [text_of(value) for value in ("é", True, None, [1])] == ["é", "true", "null", "[1]"]

"""Kinds take any value at all: they return it checked or say what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.config.keys import KEYS, Key

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
@given(value=ANYTHING)
def test_a_check_accepts_or_raises_value_error_and_nothing_else(key: Key[Any], value: Any) -> None:
    try:
        checked = key.kind.check(value)
    except ValueError:
        return
    assert key.kind.check(checked) == checked, "what was accepted once is accepted again, unchanged"


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
@given(text=st.text())
def test_any_text_of_a_variable_can_be_parsed(key: Key[Any], text: str) -> None:
    key.kind.parse(text)


def test_a_long_wrong_value_is_cut_in_the_message() -> None:
    [region] = [key for key in KEYS if key.name == "region"]
    with pytest.raises(ValueError) as caught:
        region.kind.check("x" * 1000)
    assert len(str(caught.value)) < 200

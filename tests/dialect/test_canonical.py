from __future__ import annotations

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ambidex.dialect.canonical import canonical

SAFE = 2**53 - 1
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-SAFE, SAFE)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=15,
)


@given(JSON)
def test_the_fast_way_gives_the_bytes_of_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(JSON)
def test_canonical_bytes_say_the_same_value(value: Any) -> None:
    assert json.loads(canonical(value), parse_int=float) == value


def test_control_characters_and_astral_keys_are_written_as_the_standard_says() -> None:
    value: Any = {"\U0001f600": 1, "\uffff": 2, "a": "\x00\x1f\x7f\u2028"}
    assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, [-(2**60)], {"a": "\ud800"}])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        canonical(value)

"""Read-only all the way down, and still the same data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.session.frozen import frozen

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


def thawed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    return [thawed(item) for item in value] if isinstance(value, tuple) else value


def containers(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    found = [value] if isinstance(value, (Mapping, list, tuple)) else []
    return found + [each for item in inner for each in containers(item)]


@pytest.mark.threat("S16")
@given(JSON)
def test_nothing_in_it_can_be_written_to_and_nothing_is_lost(value: Any) -> None:
    shown = frozen(value)
    assert thawed(shown) == value
    for container in containers(shown):
        with pytest.raises((TypeError, AttributeError)):
            container["new"] = 1
        assert not isinstance(container, (dict, list))


def test_a_later_change_of_the_original_does_not_show() -> None:
    value = {"list": [1], "map": {"a": 1}}
    shown = frozen(value)
    value["list"].append(2)  # type: ignore[attr-defined]
    value["map"]["b"] = 2  # type: ignore[index]
    assert thawed(shown) == {"list": [1], "map": {"a": 1}}

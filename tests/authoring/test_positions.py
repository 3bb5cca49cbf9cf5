from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ambidex.authoring.positions import Positions
from ambidex.dialect.pointer import child

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def pointers(value: Any, pointer: str = "") -> dict[str, Any]:
    found = {pointer: value}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found |= pointers(item, child(pointer, key))
    return found


@given(JSON, st.sampled_from([None, 0, 2]))
def test_every_value_stands_where_the_map_says(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    places = Positions(text)
    for pointer, expected in pointers(value).items():
        found, _ = json.JSONDecoder().raw_decode(text, places.values[pointer])
        assert found == expected


def test_lines_and_columns_are_counted_as_editors_do() -> None:
    places = Positions('{\n  "a": {"b": [1, 22]}\n}')
    assert places.line_column("/a") == (2, 3)
    assert places.line_column("/a/b/1") == (2, 18)
    assert places.value_line_column("/a") == (2, 8)


def test_a_place_that_is_not_there_is_shown_at_the_nearest_one_above() -> None:
    assert Positions('{\n "a": {}\n}').line_column("/a/missing/deep") == (2, 2)


def test_a_key_that_stands_twice_is_reported_at_its_second_place() -> None:
    places = Positions('{"a": 1,\n "a": 2}')
    assert places.repeated == ["/a"]
    assert places.line_column("/a") == (2, 2)

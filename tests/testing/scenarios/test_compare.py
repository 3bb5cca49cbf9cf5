"""Differences: each at its place, none missed, none made up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.testing.scenarios import Difference, Outcome, differences
from ambidex.testing.scenarios.compare import ABSENT

OUTCOME = Outcome({"ok": True, "data": {"a": 1, "b": [1, {"c": 2}]}, "notices": ["n"]}, [{"type": "x"}], [])
FAILED = Outcome({"ok": False, "error": {"type": "CONFLICT", "message": "taken", "retryable": False}})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False, width=16) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


def test_an_outcome_that_is_as_expected_has_none() -> None:
    whole = {"ok": True, "data": {"a": 1.0, "b": [1, {"c": 2}]}, "intents": [], "sent": [{"type": "x"}], "audit": []}
    assert differences(OUTCOME, whole) == []
    assert differences(OUTCOME, {"ok": True, "dataIncludes": {"b": [1, {}]}}) == []
    assert differences(FAILED, {"ok": False, "error": {"type": "CONFLICT"}}) == []


@pytest.mark.parametrize(
    ("expect", "found"),
    [
        ({"data": {"a": 2, "b": [1, {"c": 2}]}}, Difference("/data/a", 2, 1)),
        ({"data": {"a": True, "b": [1, {"c": 2}]}}, Difference("/data/a", True, 1)),
        ({"data": {"a": 1, "b": [1]}}, Difference("/data/b/1", ABSENT, {"c": 2})),
        ({"data": {"b": [1, {"c": 2}]}}, Difference("/data/a", ABSENT, 1)),
        ({"data": {"a": 1, "b": [1, {"c": 2}], "x/y": None}}, Difference("/data/x~1y", None, ABSENT)),
        ({"dataIncludes": {"b": [1, {"c": 3}]}}, Difference("/data/b/1/c", 3, 2)),
        ({"dataIncludes": {"b": [1]}}, Difference("/data/b/1", ABSENT, {"c": 2})),
        ({"dataIncludes": {"z": 1}}, Difference("/data/z", 1, ABSENT)),
        ({"error": {"type": "AUTH"}}, Difference("/error", {"type": "AUTH"}, ABSENT)),
        ({"intents": [{"type": "SUPPRESS_AUDIO"}]}, Difference("/intents/0", {"type": "SUPPRESS_AUDIO"}, ABSENT)),
        ({"notices": []}, Difference("/notices/0", ABSENT, "n")),
        ({"sent": [{"type": "y"}]}, Difference("/sent/0/type", "y", "x")),
        ({"audit": [{"event": "x"}]}, Difference("/audit/0", {"event": "x"}, ABSENT)),
    ],
)
def test_a_wrong_expectation_is_one_difference_at_its_place(expect: dict[str, Any], found: Difference) -> None:
    assert differences(OUTCOME, {"ok": True, **expect}) == [found]


def test_a_call_that_failed_unexpectedly_says_why_and_not_that_its_data_is_missing() -> None:
    found = differences(FAILED, {"ok": True, "data": {"a": 1}, "dataIncludes": {"a": 1}})
    assert [difference.pointer for difference in found] == ["/ok", "/error"]
    assert found[1].got["message"] == "taken"


def test_a_call_that_should_have_failed_says_so_and_which_error_is_missing() -> None:
    found = differences(OUTCOME, {"ok": False, "error": {"type": "VALIDATION"}})
    assert [difference.pointer for difference in found] == ["/ok", "/error"]


@given(expected=JSON, got=JSON)
def test_there_is_a_difference_exactly_where_two_values_are_not_the_same(expected: Any, got: Any) -> None:
    found = differences(Outcome({"ok": True, "data": got}), {"ok": True, "data": expected})
    assert bool(found) == (tagged(expected) != tagged(got))


@given(value=JSON)
def test_every_value_includes_itself(value: Any) -> None:
    assert differences(Outcome({"ok": True, "data": value}), {"ok": True, "dataIncludes": value}) == []


def tagged(value: Any) -> Any:
    """Python takes true for 1; JSON does not."""
    if isinstance(value, dict):
        return {key: tagged(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [tagged(inner) for inner in value]
    return (isinstance(value, bool), value)

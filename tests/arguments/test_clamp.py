"""A mode's tighter bounds change what is beyond them, tell it, and touch nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.arguments.clamp import Clamps
from ambidex.contracts.call import Mode

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "top_k": {"type": "integer"},
        "fields": {"type": "array", "items": {"enum": ["title", "snippet", "full_text"]}},
        "names": {"type": "array", "items": {"type": "string"}},
    },
}
LIMITS: dict[Mode, dict[str, dict[str, Any]]] = {
    Mode.VOICE: {
        "top_k": {"maximum": 3, "minimum": 1},
        "fields": {"exclude": ["full_text"], "otherwise": ["snippet"]},
        "names": {"maxItems": 2},
    }
}
CLAMPS = Clamps(SCHEMA, LIMITS)


@pytest.mark.threat("B07")
def test_a_larger_number_is_lowered_and_both_values_are_told() -> None:
    args, clamped, notices = CLAMPS.apply({"top_k": 9, "query": "x"}, Mode.VOICE)
    assert args == {"top_k": 3, "query": "x"}
    assert clamped == {"top_k": {"from": 9, "to": 3}}
    assert notices == ("top_k was lowered from 9 to 3: the limit in voice mode",)


def test_a_smaller_number_is_raised() -> None:
    assert CLAMPS.apply({"top_k": -2}, Mode.VOICE)[1] == {"top_k": {"from": -2, "to": 1}}


def test_excluded_items_are_left_out() -> None:
    args, clamped, notices = CLAMPS.apply({"fields": ["full_text", "title"]}, Mode.VOICE)
    assert args == {"fields": ["title"]}
    assert clamped == {"fields": {"from": ["full_text", "title"], "to": ["title"]}}
    assert notices == ("fields was changed to title: the limit in voice mode",)


def test_when_nothing_is_left_otherwise_takes_its_place_afresh() -> None:
    first, _, _ = CLAMPS.apply({"fields": ["full_text"]}, Mode.VOICE)
    assert first == {"fields": ["snippet"]}
    first["fields"].append("spoilt")
    assert CLAMPS.apply({"fields": ["full_text"]}, Mode.VOICE)[0] == {"fields": ["snippet"]}


def test_a_long_list_of_free_texts_is_cut_and_only_counted() -> None:
    args, clamped, notices = CLAMPS.apply({"names": ["MARKER", "b", "c"]}, Mode.VOICE)
    assert args == {"names": ["MARKER", "b"]}
    assert clamped == {"names": {"from": 3, "to": 2, "unit": "items"}}
    assert "MARKER" not in notices[0]


def test_true_is_not_one_of_the_excluded_ones() -> None:
    clamps = Clamps({"properties": {}}, {Mode.TEXT: {"x": {"exclude": [1]}}})
    assert clamps.apply({"x": [True, 1, 1.0, "1"]}, Mode.TEXT)[0] == {"x": [True, "1"]}


@pytest.mark.parametrize(
    "args", [{}, {"top_k": 3}, {"top_k": None}, {"top_k": True}, {"fields": ["title"]}, {"names": []}, {"other": 99}]
)
def test_what_is_within_bounds_is_handed_back_as_it_is(args: dict[str, Any]) -> None:
    answer, clamped, notices = CLAMPS.apply(args, Mode.VOICE)
    assert answer is args
    assert (clamped, notices) == ({}, ())


def test_another_mode_has_no_bounds() -> None:
    args = {"top_k": 99}
    assert CLAMPS.apply(args, Mode.TEXT) == (args, {}, ())
    assert Clamps(SCHEMA, None).apply(args, Mode.VOICE) == (args, {}, ())


def test_the_arguments_given_are_left_as_they_were() -> None:
    args = {"top_k": 9, "fields": ["full_text", "title"], "names": ["a", "b", "c"]}
    CLAMPS.apply(args, Mode.VOICE)
    assert args == {"top_k": 9, "fields": ["full_text", "title"], "names": ["a", "b", "c"]}


@pytest.mark.threat("B08")
@settings(max_examples=100, deadline=None)
@given(st.integers(-50, 50), st.lists(st.sampled_from(["title", "snippet", "full_text"])), st.lists(st.text()))
def test_clamped_arguments_are_always_within_bounds_and_stay_there(
    top_k: int, fields: list[str], names: list[str]
) -> None:
    args, _, _ = CLAMPS.apply({"top_k": top_k, "fields": fields, "names": names}, Mode.VOICE)
    assert 1 <= args["top_k"] <= 3
    assert "full_text" not in args["fields"]
    assert len(args["names"]) <= 2
    assert CLAMPS.apply(args, Mode.VOICE)[0] is args

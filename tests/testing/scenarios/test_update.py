"""`--update`: what is compared stays what is compared, and the rest of the file stays as it was typed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.testing.scenarios import Outcome, differences
from ambidex.testing.scenarios.update import first, updated, with_expect

DONE = Outcome({"ok": True, "data": {"a": 1, "b": {"c": 2, "d": 3}}}, [{"type": "x"}], [{"event": "e"}])
FAULT = {"type": "CONFLICT", "message": "taken", "retryable": False, "partialSideEffects": False}
FAILED = Outcome({"ok": False, "error": FAULT})


@pytest.mark.parametrize("outcome", [DONE, FAILED])
@pytest.mark.parametrize(
    "expect",
    [
        {"ok": True},
        {"ok": False, "error": {"type": "VALIDATION", "suggestion": "no"}, "sent": []},
        {"ok": True, "data": {"a": 5}, "audit": []},
        {"ok": True, "dataIncludes": {"b": {"c": 9}, "gone": 1}, "intents": [{}]},
        {"ok": True, "dataIncludes": [1]},
    ],
)
def test_an_updated_expectation_holds_and_updating_it_again_changes_nothing(
    outcome: Outcome, expect: dict[str, Any]
) -> None:
    new = updated(expect, outcome)
    assert differences(outcome, new) == []
    assert updated(new, outcome) == new


def test_only_what_was_compared_before_is_compared_afterwards() -> None:
    new = updated({"ok": True, "dataIncludes": {"b": {"c": 9}}, "sent": []}, DONE)
    assert new == {"ok": True, "dataIncludes": {"b": {"c": 2}}, "sent": [{"type": "x"}]}


def test_a_call_that_now_ends_otherwise_says_how() -> None:
    assert updated({"ok": True, "data": {"a": 1}}, FAILED) == {"ok": False, "error": {"type": "CONFLICT"}}
    assert updated({"ok": False, "error": {"type": "AUTH"}}, DONE) == {"ok": True, "data": DONE.envelope["data"]}


def test_the_first_expectation_is_all_that_was_seen_but_no_wording() -> None:
    assert first(DONE) == DONE.seen()
    assert first(FAILED)["error"] == {"type": "CONFLICT", "retryable": False}


def test_everything_outside_expect_stays_as_it_was_typed() -> None:
    text = '{ "about": "é \\" } expect",\n  "given": {"mode":"text"},\n\t"expect": {"ok": true} , "call": {} }\n'
    new = with_expect(text, {"ok": False, "sent": []})
    assert new == text.replace('{"ok": true}', '{\n    "ok": false,\n    "sent": []\n  }')


def test_an_expectation_is_added_where_there_was_none() -> None:
    text = '{\n  "about": "x",\n  "call": {}\n}\n'
    assert (
        with_expect(text, {"ok": True}) == '{\n  "about": "x",\n  "call": {},\n  "expect": {\n    "ok": true\n  }\n}\n'
    )


@given(
    document=st.dictionaries(
        st.sampled_from(["about", "given", "call", "expect"]), st.text() | st.just({}), min_size=1
    ),
    indent=st.none() | st.integers(0, 4),
)
def test_only_expect_changes_whatever_the_file_looks_like(document: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    assert json.loads(with_expect(text, {"ok": True})) == {**document, "expect": {"ok": True}}

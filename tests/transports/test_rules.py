"""What holds for every provider."""

from __future__ import annotations

import re

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ambidex.arguments.parse import Parsed, parse
from ambidex.transports.base import Finish
from ambidex.transports.items import Asked, Item, ResultItem, StepItem, UserItem
from ambidex.transports.rules import Draft, as_arguments, as_object, calls_of, new_draft, portable, with_owner


@pytest.mark.threat("T07")
@settings(max_examples=100, deadline=None)
@given(raw=st.text(max_size=40), finish=st.sampled_from([Finish.LENGTH, Finish.FILTERED, Finish.ERROR, Finish.PAUSED]))
@example(raw='{"to": "bob", "amount": 1}', finish=Finish.LENGTH)
@example(raw="", finish=Finish.LENGTH)
@example(raw='{"a": "', finish=Finish.ERROR)
def test_no_call_of_a_step_without_a_proper_end_has_arguments_that_parse(raw: str, finish: Finish) -> None:
    [call] = calls_of([Draft("c1", "pay", [raw])], finish)
    assert not isinstance(parse(call.args), Parsed)


def test_a_call_of_a_step_that_ended_well_has_the_models_own_text() -> None:
    for finish in (Finish.CALLS, Finish.STOP):
        [call] = calls_of([Draft("c1", "pay", ['{"a":', " 1}"])], finish)
        assert call.args == '{"a": 1}'


@pytest.mark.parametrize("pieces", [[], [""], [" ", "\n"]])
def test_empty_arguments_are_an_empty_object(pieces: list[str]) -> None:
    assert Draft("c1", "look", pieces).text == "{}"


def test_an_id_that_is_missing_or_used_twice_in_a_step_is_replaced_by_one_of_ours() -> None:
    drafts: list[Draft] = []
    for id in ("a", "a", "", "b", ""):
        new_draft(drafts, id, "look")
    ids = [draft.id for draft in drafts]
    assert (ids[0], ids[3]) == ("a", "b")
    assert len(set(ids)) == 5


def test_ids_count_per_step_so_the_same_id_may_be_ours_once_and_foreign_once() -> None:
    call = Asked(id="1", name="look", args="{}")
    own = StepItem(provider="openai", model="m", calls=(call,), parts=({"x": 1},))
    foreign = StepItem(provider="gemini", model="m", calls=(call,), parts=({"x": 1},))
    result = ResultItem(call_id="1", name="look", ok=True, body={})
    items: list[Item] = [own, result, UserItem(text="x"), foreign, result]
    assert [mine for _, mine in with_owner(items, "openai", "m")] == [True, True, False, False, False]
    assert [mine for _, mine in with_owner(items, "openai", "another")] == [False] * 5


@given(st.text(max_size=80))
def test_an_id_for_another_provider_is_one_that_any_takes_and_stays_the_same(id: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", portable(id))
    assert portable(id) == portable(id)


@given(st.text(max_size=30) | st.just('{"a": 1}'))
def test_arguments_that_go_back_are_always_an_object(args: str) -> None:
    assert orjson.loads(as_arguments(args)) == as_object(args)

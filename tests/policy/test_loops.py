"""Loops: what counts as going round, and what is only a repeat or only similar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.apps import Workshop, error_of, one, talking

from ambidex.ledger.rows import TurnCall
from ambidex.policy.loops import loop_of


def made(*hashes: str, gave: str = "ok") -> list[TurnCall]:
    return [TurnCall(f"key-{at}", f"tool_{name}", name, 1, False, gave) for at, name in enumerate(hashes)]


def test_the_third_identical_call_of_a_turn_is_a_loop_and_the_second_is_none() -> None:
    assert loop_of(made("a"), "tool_a", "a") is None
    loop = loop_of(made("a", "b", "a", gave="NOT_FOUND"), "tool_a", "a")
    assert loop is not None
    assert "tool_a" in loop.what
    assert loop.gave == "NOT_FOUND"


@pytest.mark.parametrize(
    ("calls", "again"),
    [("aba", "b"), ("xaba", "b"), ("abcab", "c"), ("xyabcab", "c")],
)
def test_a_cycle_of_two_or_three_calls_that_comes_round_again_is_a_loop(calls: str, again: str) -> None:
    loop = loop_of(made(*calls), f"tool_{again}", again)
    assert loop is not None
    assert f"tool_{again}" in loop.what


@pytest.mark.parametrize(
    ("calls", "again"), [("ab", "a"), ("abc", "a"), ("abca", "b"), ("abcd", "a"), ("abcdabc", "d")]
)
def test_a_cycle_that_is_not_complete_or_is_longer_than_three_is_no_loop(calls: str, again: str) -> None:
    assert loop_of(made(*calls), f"tool_{again}", again) is None


def test_what_the_earlier_call_gave_is_that_of_the_same_call_not_of_its_neighbour() -> None:
    calls = [*made("a", gave="ok"), *made("b", gave="CONFLICT"), *made("a", gave="ok")]
    loop = loop_of(calls, "tool_b", "b")
    assert loop is not None
    assert loop.gave == "CONFLICT"


def test_a_call_that_was_only_re_issued_counts_for_no_loop() -> None:
    [first] = made("a")
    again = TurnCall("other", "tool_a", "a", 2, False, again=True)
    assert loop_of([first, again], "tool_a", "a") is None


@given(st.lists(st.sampled_from("abcd"), max_size=8), st.sampled_from("abcd"))
def test_a_loop_is_exactly_a_third_time_or_a_doubled_ending(before: list[str], name: str) -> None:
    whole = [*before, name]
    doubled = any(len(whole) >= 2 * n and whole[-n:] == whole[-2 * n : -n] for n in (2, 3))
    assert (loop_of(made(*before), f"tool_{name}", name) is not None) == (before.count(name) >= 2 or doubled)


@pytest.mark.threat("B09")
async def test_the_third_identical_call_is_refused_and_told_what_the_earlier_one_gave(workshop: Workshop) -> None:
    async with talking(workshop.reading().build()) as (_, session, _):
        answers = [await one(session, "look", id=f"c{number}") for number in range(4)]
    assert [error_of(answer) for answer in answers] == ["ok", "ok", "LOOP_DETECTED", "LOOP_DETECTED"]
    fault = answers[2].error
    assert fault is not None
    assert "look" in fault.message
    assert "It gave ok." in fault.message
    assert len(workshop.runs("look")) == 2


@pytest.mark.threat("B09")
@pytest.mark.parametrize(("asked", "refused_at"), [("abab", 3), ("abcabc", 5)])
async def test_a_cycle_is_refused_when_it_closes(workshop: Workshop, asked: str, refused_at: int) -> None:
    config = {"limits.text.retrieval": 8}
    async with talking(workshop.reading().build(), config=config) as (_, session, _):
        given = [error_of(await one(session, "look", {"name": name}, id=f"c{at}")) for at, name in enumerate(asked)]
    assert given == ["ok"] * refused_at + ["LOOP_DETECTED"]


@pytest.mark.threat("B09")
async def test_variations_of_a_query_are_other_calls_and_end_at_the_budget(workshop: Workshop) -> None:
    """Case, space and zero-width changes get round the loop rule; the budget holds all the same."""
    tries = ["who", "Who", "who ", " who", "WHO", "who\u200b", "wh\u200bo", "who\t"]
    async with talking(workshop.reading().build()) as (_, session, _):
        given = [error_of(await one(session, "look", {"name": name})) for name in tries]
    assert given == ["ok"] * 5 + ["BUDGET_EXCEEDED"] * 3


async def test_a_new_turn_forgets_the_old_ones_calls(workshop: Workshop) -> None:
    async with talking(workshop.reading().build()) as (_, session, _):
        await one(session, "look")
        await one(session, "look")
        await session.begin_turn("once more")
        assert error_of(await one(session, "look")) == "ok"

"""What of a conversation is sent: the end of it, and never a call without its one result."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.agents.trimming import trimmed, whole
from ambidex.transports.items import Asked, Item, NoteItem, OutcomeItem, ResultItem, StepItem, UserItem

ANSWER = StepItem(provider="p", text="answer " * 20)


def step(*ids: str) -> StepItem:
    return StepItem(provider="p", calls=tuple(Asked(id=id, name="look", args="{}") for id in ids))


def result(id: str, size: int = 1) -> ResultItem:
    return ResultItem(call_id=id, name="look", ok=True, body={"data": "x" * size})


ITEMS = st.lists(
    st.one_of(
        st.builds(UserItem, text=st.text(max_size=200)),
        st.builds(NoteItem, text=st.text(max_size=20)),
        st.lists(st.sampled_from("abc"), unique=True, max_size=3).map(lambda ids: step(*ids)),
        st.builds(result, st.sampled_from("abcd"), st.integers(0, 400)),
        st.builds(OutcomeItem, call_id=st.just("a"), name=st.just("look"), ok=st.just(True), body=st.just({})),
    ),
    max_size=30,
)


@settings(max_examples=100, deadline=None)
@given(items=ITEMS, tokens=st.integers(1, 600))
def test_however_little_fits_every_call_stands_right_before_its_one_result(items: list[Item], tokens: int) -> None:
    kept = trimmed(items, tokens)
    open_calls: list[str] = []
    for item in kept:
        if isinstance(item, ResultItem):
            assert item.call_id in open_calls
            open_calls.remove(item.call_id)
        else:
            assert open_calls == []
            open_calls = [call.id for call in item.calls] if isinstance(item, StepItem) else []
    assert open_calls == []


@settings(max_examples=100, deadline=None)
@given(items=ITEMS, tokens=st.integers(1, 600))
def test_the_users_last_words_are_never_left_out(items: list[Item], tokens: int) -> None:
    said = [item for item in items if isinstance(item, UserItem)]
    assert not said or said[-1] in trimmed(items, tokens)


@given(ITEMS)
def test_what_fits_is_sent_whole(items: list[Item]) -> None:
    assert trimmed(items, 1_000_000) == whole(items)


def test_the_oldest_turns_go_first_and_whole_and_that_is_said() -> None:
    turns: list[list[Item]] = [[UserItem(text=f"question {n}"), step("a"), result("a"), ANSWER] for n in range(6)]
    kept = trimmed([item for turn in turns for item in turn], 200)
    assert isinstance(kept[0], NoteItem)
    assert isinstance(kept[1], UserItem)
    assert kept[-4:] == turns[-1]
    assert len(kept[1:]) % 4 == 0
    assert len(kept) < 24


def test_of_a_turn_that_is_too_long_by_itself_the_oldest_steps_go_with_their_results() -> None:
    turn: list[Item] = [UserItem(text="look at all of it")]
    for number in range(5):
        turn += [step(f"c{number}"), result(f"c{number}", 2000)]
    kept = trimmed(turn, 1200)
    assert kept[0] == turn[0]
    assert kept[-2:] == turn[-2:]
    assert len(kept) < len(turn)


def test_a_second_answer_to_a_call_is_not_sent() -> None:
    assert whole([step("a"), result("a"), result("a")]) == [step("a"), result("a")]

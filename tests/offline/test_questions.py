"""Which questions are worth a look into the base."""

from __future__ import annotations

import pytest

from ambidex.offline.questions import asks_the_base, names_in


@pytest.mark.parametrize(
    "text",
    [
        "how often are backups made?",
        "My key card is gone. Who deals with that?",
        "may I fly for work?",
        "find the ladder",
    ],
)
def test_a_question_far_from_everything_outside_is_worth_it(text: str) -> None:
    assert asks_the_base(text, 0.1, 0.3)


@pytest.mark.parametrize("text", ["what is the glaze made of", "is the kiln hot"])
def test_a_question_near_to_something_outside_is_not(text: str) -> None:
    assert not asks_the_base(text, 0.4, 0.3)


@pytest.mark.parametrize("text", ["what is the Moon Room", "who is Tom?", "search for glazes"])
def test_a_name_or_a_plain_command_makes_up_for_that(text: str) -> None:
    assert asks_the_base(text, 0.4, 0.3)
    assert not asks_the_base(text, 0.7, 0.3)


@pytest.mark.parametrize(
    "text",
    ["what's the weather in Lima?", "find me a recipe", "what is 3 times 4", "how are you", "what would you do?"],
)
def test_a_clear_sign_of_the_world_at_large_speaks_against_it(text: str) -> None:
    assert not asks_the_base(text, 0.0, 0.3)


@pytest.mark.parametrize("text", ["lol", "I am bored", "make it blue", "what " * 100])
def test_what_is_no_question_is_not_looked_up(text: str) -> None:
    assert not asks_the_base(text, 0.0, 0.3)


def test_names_are_written_with_a_capital_letter_inside_of_a_sentence() -> None:
    assert names_in("Where did Ada build the Tide Clock? And where am I?") == ["Ada", "Tide", "Clock"]

from __future__ import annotations

import pytest

from ambidex.dialect.conditions import AVAILABILITY, CONFIRM_WHEN, ConditionError, compile_condition

VALUES = {
    "mode": "voice",
    "user": {"id": "u1", "scopes": ["calendar"], "tenant": "default"},
    "session": {"isActive": True},
    "config": {"environment": "production", "values": {"beta": True}},
}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("mode == 'voice'", True),
        ("'calendar' in user.scopes && session.isActive", True),
        ("config.environment != 'production'", False),
        ("config.values.beta", True),
        ("config.values.missing", None),
        ("config.values.beta + 1 == 2", None),
    ],
)
def test_a_condition_is_true_false_or_failed(text: str, answer: bool | None) -> None:
    assert compile_condition(text, AVAILABILITY).evaluate(VALUES) is answer


@pytest.mark.parametrize(
    ("text", "offset", "word"),
    [
        ("mod == 'voice'", 0, "undeclared"),
        ("mode == 1", 5, "overload"),
        ("true &&\n 1 + 'a' == 2", 11, "overload"),
        ("mode ==", 7, "Syntax"),
        ("args.name == 'x'", 4, "undeclared"),
        ("user.scope == 'x'", 5, "did you mean scopes"),
        ("__import__('os')", 10, "undeclared"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, offset: int, word: str) -> None:
    with pytest.raises(ConditionError, match=word) as failure:
        compile_condition(text, AVAILABILITY)
    assert failure.value.offset == offset


def test_arguments_are_known_only_where_there_are_any() -> None:
    names = ("title", "count")
    assert compile_condition("args.count > 3 || turn.input == ''", CONFIRM_WHEN, names)
    with pytest.raises(ConditionError, match="did you mean title"):
        compile_condition("args.titel == 'x'", CONFIRM_WHEN, names)


def test_a_name_inside_a_string_is_text() -> None:
    assert compile_condition("args.title == 'args.nothing'", CONFIRM_WHEN, ("title",))


def test_what_is_not_true_or_false_is_no_condition() -> None:
    with pytest.raises(ConditionError, match="string") as failure:
        compile_condition("mode", AVAILABILITY)
    assert failure.value.boolean

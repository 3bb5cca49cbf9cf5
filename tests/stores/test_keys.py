"""Keys: no two alike, whatever users call themselves; and what belongs together lies together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.stores.keys import key, prefix

strings = st.one_of(st.text("a/%#0125F", max_size=5), st.text(max_size=5))
numbers = st.integers(0, 10**19 - 1)
parts = st.lists(st.one_of(strings, numbers), min_size=1, max_size=4).map(tuple)


def test_a_key_can_be_read_by_people() -> None:
    assert key("acme", "u1", 7) == "acme/u1/#0000000000000000007"


@given(parts, parts)
@settings(max_examples=200)
def test_different_parts_give_different_keys(one: tuple[str | int, ...], other: tuple[str | int, ...]) -> None:
    assert (key(*one) == key(*other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "b"), ("a/b",)),
        (("a/", "b"), ("a", "/b")),
        (("a%2Fb",), ("a/b",)),
        (("",), ("", "")),
        ((7,), ("7",)),
        ((7,), ("#0000000000000000007",)),
        ((7,), ("%230000000000000000007",)),
    ],
)
def test_no_name_can_imitate_another_key(one: tuple[str | int, ...], other: tuple[str | int, ...]) -> None:
    assert key(*one) != key(*other)


@given(parts, parts)
@settings(max_examples=200)
def test_a_prefix_holds_exactly_the_longer_keys_with_those_first_parts(
    whole: tuple[str | int, ...], first: tuple[str | int, ...]
) -> None:
    longer = len(whole) > len(first) and whole[: len(first)] == first
    assert key(*whole).startswith(prefix(*first)) == longer
    assert key(*first, *whole).startswith(prefix(*first))


def test_the_prefix_of_nothing_holds_everything() -> None:
    assert prefix() == ""


@given(st.lists(numbers))
def test_numbers_sort_as_numbers(some: list[int]) -> None:
    assert sorted(key("a", number) for number in some) == [key("a", number) for number in sorted(some)]


@pytest.mark.parametrize("number", [-1, 10**19])
def test_a_number_that_would_not_sort_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=str(number)):
        key(number)


def test_a_key_without_parts_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one part"):
        key()

"""Moments and durations out of what people write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.offline.slots.moments import duration, moments
from ambidex.offline.slots.numbers import digits

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("tomorrow at 3pm", "2026-03-03T15:00"),
        ("half past ten in the morning", "2026-03-02T10:30"),
        ("twelve thirty pm", "2026-03-02T12:30"),
        ("quarter to five", "2026-03-02T04:45"),
        ("next friday at 4 pm", "2026-03-06T16:00"),
        ("monday 8am", "2026-03-09T08:00"),
        ("march 20 at noon", "2026-03-20T12:00"),
        ("2 march", "2026-03-02T00:00"),
        ("1 march", "2027-03-01T00:00"),
        ("in three days", "2026-03-05T00:00"),
        ("in 2 hours", "2026-03-02T11:00"),
        ("christmas 2026", "2026-12-25T00:00"),
        ("2026-05-01T08:00:00Z", "2026-05-01T08:00"),
        ("midnight", "2026-03-02T00:00"),
    ],
)
def test_a_moment_is_counted_from_now(text: str, at: str) -> None:
    [moment] = moments(text, NOW)
    assert moment.at == datetime.fromisoformat(at).replace(tzinfo=UTC)


def test_two_clock_times_share_the_day_before_them() -> None:
    first, second = moments("tomorrow 2pm to 3pm", NOW)
    assert (second.at - first.at, first.at.day) == (timedelta(hours=1), 3)


@pytest.mark.parametrize("text", ["", "set an alarm for 6", "version 3.11", "25:99", "may I ask"])
def test_what_is_no_moment_is_none(text: str) -> None:
    assert moments(text, NOW) == []


@pytest.mark.parametrize(
    ("text", "length"), [("for an hour", 60), ("half an hour", 30), ("90 minutes", 90), ("45 min", 45), ("soon", None)]
)
def test_durations(text: str, length: int | None) -> None:
    assert duration(text) == (None if length is None else timedelta(minutes=length))


def test_number_words_become_digits() -> None:
    assert digits("twenty five people, a couple of rooms, one single bed") == "25 people, 2 rooms, 1 1 bed"


_PIECES = st.sampled_from(
    [
        "99:99",
        "31 february",
        "in 99999999999 days",
        "0 am",
        "13pm",
        "9999-12-31T23:59:59Z",
        "0001-01-01T00:00",
        "tomorrow",
        "noon",
    ]
)


@given(st.lists(_PIECES | st.text(max_size=10), max_size=5))
def test_any_text_has_moments_or_none_and_each_has_a_zone(pieces: list[str]) -> None:
    assert all(moment.at.tzinfo is not None for moment in moments(" ".join(pieces), NOW))


def test_a_time_stamp_that_is_no_moment_gives_none_and_neither_do_its_parts() -> None:
    assert moments("convert 2026-13-45T99:00:00Z to Tokyo time", NOW) == []

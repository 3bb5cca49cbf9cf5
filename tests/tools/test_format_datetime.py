"""format_datetime: the instant never changes, whatever the zone, and spoken English is all words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tools.calling import module_of, run

english = module_of("format-datetime", "english")
moment = module_of("format-datetime", "moment")
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Africa/Monrovia"])
INSTANTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC))
FIRST_AND_LAST_DAYS = st.datetimes(datetime.min, datetime(1, 1, 2)) | st.datetimes(datetime(9999, 12, 31), datetime.max)
TEXT: dict[str, Any] = {"mode": "text", "now": "2026-03-02T09:00:00+00:00"}


@given(instant=INSTANTS, zone=ZONES, style=st.sampled_from(["short", "long", "spoken", "relative"]))
@settings(max_examples=100, deadline=None)
async def test_the_instant_survives_every_zone_and_style(instant: datetime, zone: str, style: str) -> None:
    outcome = await run("format-datetime", {"value": instant.isoformat(), "timezone": zone, "style": style}, TEXT)
    data = outcome.envelope["data"]
    assert datetime.fromisoformat(data["iso"]) == instant
    assert data["timezone"] == zone
    assert data["text"]


@pytest.mark.threat("V13")
@given(instant=FIRST_AND_LAST_DAYS, zone=ZONES, style=st.sampled_from(["short", "long", "spoken", "relative"]))
@settings(max_examples=100, deadline=None)
async def test_the_first_and_the_last_day_are_written_or_refused(instant: datetime, zone: str, style: str) -> None:
    args = {"value": f"{instant.isoformat()}Z", "timezone": zone, "style": style}
    answer = (await run("format-datetime", args, TEXT)).envelope
    if answer["ok"]:
        assert datetime.fromisoformat(answer["data"]["iso"]) == instant.replace(tzinfo=UTC)
    else:
        assert answer["error"]["type"] == "VALIDATION"


async def test_the_offset_itself_can_leave_the_calendar() -> None:
    first_local_second = {"value": "0001-01-01T04:56:02Z", "timezone": "America/New_York"}
    outcome = await run("format-datetime", first_local_second, TEXT)
    assert outcome.envelope["error"]["type"] == "VALIDATION"


@given(instant=INSTANTS, zone=ZONES)
@settings(max_examples=200)
def test_spoken_english_has_no_digits(instant: datetime, zone: str) -> None:
    text = english.say(instant.astimezone(ZoneInfo(zone)), this_year=2026)
    assert not any(character.isdigit() for character in text)


@pytest.mark.parametrize(
    ("hour", "minute", "spoken"),
    [
        (0, 0, "midnight"),
        (0, 30, "half past midnight"),
        (9, 1, "one minute past nine in the morning"),
        (11, 45, "a quarter to noon"),
        (12, 0, "noon"),
        (14, 30, "half past two in the afternoon"),
        (17, 35, "twenty-five to six in the afternoon"),
        (18, 0, "six o'clock in the evening"),
        (21, 13, "thirteen minutes past nine at night"),
        (23, 59, "one minute to midnight"),
    ],
)
def test_times_are_said_as_people_say_them(hour: int, minute: int, spoken: str) -> None:
    assert english.clock(hour, minute) == spoken


def test_every_time_of_day_is_said_differently() -> None:
    assert len({english.clock(hour, minute) for hour in range(24) for minute in range(60)}) == 24 * 60


@pytest.mark.parametrize(
    ("year", "spoken"),
    [
        (7, "seven"),
        (800, "eight hundred"),
        (1066, "ten sixty-six"),
        (1905, "nineteen oh five"),
        (2000, "two thousand"),
        (2009, "two thousand and nine"),
        (2026, "twenty twenty-six"),
    ],
)
def test_years_are_said_in_pairs(year: int, spoken: str) -> None:
    assert english.year(year) == spoken


@pytest.mark.threat("V13")
@pytest.mark.parametrize(
    "value",
    [
        "2026-03-03T13:30:00",
        "2026-03-03 13:30",
        "2026-02-30T00:00:00Z",
        "2026-03-03T25:00:00Z",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:60Z",
        "10000-01-01T00:00:00Z",
        "tomorrow",
    ],
)
async def test_what_is_no_moment_is_refused(value: str) -> None:
    outcome = await run("format-datetime", {"value": value}, TEXT)
    assert outcome.envelope["error"]["type"] == "VALIDATION"


@pytest.mark.threat("V13")
def test_every_spelling_of_rfc_3339_is_read() -> None:
    expected = datetime(2026, 3, 3, 13, 30, tzinfo=UTC)
    for text in (
        "2026-03-03T13:30:00Z",
        "2026-03-03t13:30:00z",
        "2026-03-03T14:30:00+01:00",
        "2026-03-03T13:30:00.000Z",
    ):
        assert moment.parse(text) == expected
    assert moment.parse("2026-03-03T13:29:60Z") == expected
    assert moment.parse("2026-03-03T13:30:00.123456789Z") - expected == timedelta(microseconds=123456)


@pytest.mark.threat("V13")
@pytest.mark.parametrize(
    ("value", "zone"), [("0001-01-01T00:30:00Z", "America/New_York"), ("0001-01-01T00:00:00+14:00", "UTC")]
)
async def test_a_moment_before_the_first_year_is_refused(value: str, zone: str) -> None:
    outcome = await run("format-datetime", {"value": value, "timezone": zone}, TEXT)
    assert outcome.envelope["error"]["type"] == "VALIDATION"


async def test_offsets_of_the_nineteenth_century_are_written_in_whole_minutes() -> None:
    outcome = await run("format-datetime", {"value": "1880-06-01T12:00:00Z", "timezone": "Europe/Berlin"}, TEXT)
    assert outcome.envelope["data"]["iso"] == "1880-06-01T12:53:00+00:53"


@pytest.mark.parametrize(
    ("zone", "suggestion"),
    [
        ("europe/berlin", "Did you mean Europe/Berlin?"),
        ("New York", "Did you mean America/New_York?"),
        ("Asia/Tokio", "Did you mean Asia/Tokyo?"),
        ("../../etc/passwd", "Use an IANA name such as Europe/Berlin or America/New_York."),
    ],
)
async def test_an_unknown_zone_is_answered_with_what_to_use(zone: str, suggestion: str) -> None:
    outcome = await run("format-datetime", {"value": "2026-03-03T13:30:00Z", "timezone": zone}, TEXT)
    error = outcome.envelope["error"]
    assert error["type"] == "VALIDATION"
    assert error["suggestion"] == suggestion
    assert zone not in error["message"]


@pytest.mark.parametrize("locale", ["xx", "../../x", "de-", "e", "english", "de_DE_1234567890"])
async def test_an_unknown_locale_is_refused(locale: str) -> None:
    outcome = await run("format-datetime", {"value": "2026-03-03T13:30:00Z", "locale": locale}, TEXT)
    assert outcome.envelope["error"]["type"] == "VALIDATION"


@pytest.mark.parametrize("locale", ["en", "en-GB", "de", "de_AT", "pt-BR", "zh-Hant", "ar", "ja", "hi"])
@pytest.mark.parametrize("style", ["short", "long", "spoken", "relative"])
async def test_every_style_is_written_in_every_language(locale: str, style: str) -> None:
    outcome = await run("format-datetime", {"value": "2026-03-03T13:30:00Z", "locale": locale, "style": style}, TEXT)
    text = outcome.envelope["data"]["text"]
    assert text
    assert not {"\u00a0", "\u202f"} & set(text)

"""Moments in a text: time stamps, days and clock times, counted from now. Days by name are read by `dateparser`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from ambidex.offline.cues import TIMESTAMP
from ambidex.offline.slots.numbers import digits

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\.?"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HOLIDAYS = {"christmas eve": "24 december", "christmas": "25 december", "new year's eve": "31 december"}
_DAY = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d|(?:the day after )?tomorrow|today|tonight|yesterday"
    rf"|(?:next |this |on )?(?:{'|'.join(_WEEKDAYS)})"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?: \d{{4}})?"
    rf"|(?:{'|'.join(_HOLIDAYS)})(?: \d{{4}})?"
    r"|in \d+ (?:days?|weeks?|months?|hours?|minutes?)|\d+ (?:days?|weeks?|months?|hours?|minutes?) ago)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\b(?:(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d)|\s(?P<spoken>\d\d)(?=\s*[ap]\.?m))?\s*(?P<half>[ap])\.?m\b"
    r"|(?P<hour24>[01]?\d|2[0-3]):(?P<minute24>[0-5]\d)(?:\s*in the (?P<part24>morning|afternoon|evening))?"
    r"|(?P<hour_of>\d{1,2})(?: o'clock)?\s*in the (?P<part>morning|afternoon|evening)"
    r"|(?P<hour_at>\d{1,2}) o'clock|(?P<word>noon|midday|midnight))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Moment:
    """`start` and `end` are where it stands in `digits(text)`."""

    at: datetime
    start: int
    end: int
    has_zone: bool = False
    """It names its own offset."""
    has_time: bool = True


def moments(text: str, now: datetime) -> list[Moment]:
    """In the order they stand. A clock time without a day is on the day named last, or today."""
    written = digits(text)
    stamps = [moment for found in TIMESTAMP.finditer(written) if (moment := _stamp(found, now))]
    # Also one that is no moment, for a part of it was never meant as one.
    taken = [found.span() for found in TIMESTAMP.finditer(written)]
    days = [found for found in _DAY.finditer(written) if _is_free(found, taken)]
    clocks = [found for found in _CLOCK.finditer(written) if _is_free(found, taken)]
    return sorted([*stamps, *_together(days, clocks, now)], key=lambda moment: moment.start)


def duration(text: str) -> timedelta | None:
    """How long something takes: "for an hour", "90 minutes"."""
    found = re.search(r"\b(\d+)[\s-]*(hours?|hrs?|h|minutes?|mins?|min)\b", digits(text), re.IGNORECASE)
    if found is None or not 0 < int(found[1]) <= 10_000:
        return None
    return timedelta(**{"hours" if found[2][0].lower() == "h" else "minutes": int(found[1])})


def _stamp(found: re.Match[str], now: datetime) -> Moment | None:
    try:
        at = datetime.fromisoformat(found[0].upper())
    except ValueError:
        return None
    has_zone = at.tzinfo is not None
    return Moment(at if has_zone else at.replace(tzinfo=now.tzinfo), found.start(), found.end(), has_zone)


def _is_free(found: re.Match[str], taken: list[tuple[int, int]]) -> bool:
    return not any(start < found.end() and found.start() < end for start, end in taken)


def _together(days: list[re.Match[str]], clocks: list[re.Match[str]], now: datetime) -> Iterator[Moment]:
    """Each clock time with the day nearest before it, else the first day; days without any stand alone."""
    read = [(found, day) for found in days if (day := _day(found[0], now)) is not None]
    used: set[int] = set()
    for clock in clocks:
        before = [number for number, (found, _) in enumerate(read) if found.start() < clock.start()]
        number = before[-1] if before else 0 if read else None
        day = now if number is None else read[number][1]
        start = clock.start()
        if number is not None and number not in used:
            start = min(start, read[number][0].start())
        used.add(-1 if number is None else number)
        yield Moment(datetime.combine(day.date(), _time(clock), now.tzinfo), start, clock.end())
    for number, (found, day) in enumerate(read):
        if number not in used:
            has_time = "hour" in found[0].lower() or "minute" in found[0].lower()
            at = day if has_time else datetime.combine(day.date(), time(), now.tzinfo)
            yield Moment(at, found.start(), found.end(), has_time=has_time)


def _time(clock: re.Match[str]) -> time:
    if clock["word"]:
        return time(0 if clock["word"].lower() == "midnight" else 12)
    hour = int(next(filter(None, (clock["hour"], clock["hour24"], clock["hour_of"], clock["hour_at"]))))
    minute = int(clock["minute"] or clock["spoken"] or clock["minute24"] or 0)
    part = (clock["part"] or clock["part24"] or "").lower()
    late = (clock["half"] or "").lower() == "p" or part in {"afternoon", "evening"}
    if clock["half"] or part:
        hour = hour % 12 + (12 if late else 0)
    return time(hour % 24, min(minute, 59))


def _day(words: str, now: datetime) -> datetime | None:
    words = words.lower()
    name = words.rsplit(" ", 1)[-1]
    if name in _WEEKDAYS:
        return now + timedelta(days=(_WEEKDAYS.index(name) - now.weekday() - 1) % 7 + 1)
    if words == "tonight":
        return now
    if words == "the day after tomorrow":
        return now + timedelta(days=2)
    for holiday, day in _HOLIDAYS.items():
        words = words.replace(holiday, day)
    return _parsed(words, now)


def _parsed(words: str, now: datetime) -> datetime | None:
    import dateparser

    settings = {"RELATIVE_BASE": now.replace(tzinfo=None), "PREFER_DATES_FROM": "future"}
    parsed: datetime | None = dateparser.parse(words, languages=["en"], settings=settings)
    if parsed is None:
        return None
    # The day it is counts as gone for the parser, which would give the same day in a year.
    is_today = (parsed.month, parsed.day) == (now.month, now.day) and not re.search(r"\d{4}|^in |ago$", words)
    return parsed.replace(year=now.year if is_today else parsed.year, tzinfo=now.tzinfo)

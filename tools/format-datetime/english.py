"""Dates and times as English is spoken: `Tuesday the third of March at half past two in the afternoon`."""

from __future__ import annotations

from datetime import datetime

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = ". . twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
    "twenty": "twentieth",
    "thirty": "thirtieth",
}
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = "January February March April May June July August September October November December".split()
_QUARTERS = {15: "a quarter", 30: "half"}


def say(moment: datetime, *, this_year: int) -> str:
    """Weekday, day, month and time; the year only where it is not the current one, as a person would."""
    day = f"{_WEEKDAYS[moment.weekday()]} the {ordinal(moment.day)} of {_MONTHS[moment.month - 1]}"
    if moment.year != this_year:
        day = f"{day}, {year(moment.year)},"
    return f"{day} at {clock(moment.hour, moment.minute)}"


def clock(hour: int, minute: int) -> str:
    if minute == 0:
        named = _hour(hour)
        return named if hour in (0, 12) else f"{named} o'clock {_part_of_day(hour)}"
    if minute <= 30:
        distance, direction, anchor = minute, "past", hour
    else:
        distance, direction, anchor = 60 - minute, "to", (hour + 1) % 24
    spoken = f"{_minutes(distance)} {direction} {_hour(anchor)}"
    return spoken if anchor in (0, 12) else f"{spoken} {_part_of_day(hour)}"


def _minutes(count: int) -> str:
    if count in _QUARTERS:
        return _QUARTERS[count]
    if count % 5 == 0:
        return number(count)
    return f"{number(count)} {'minute' if count == 1 else 'minutes'}"


def _hour(hour: int) -> str:
    return {0: "midnight", 12: "noon"}.get(hour) or number(hour % 12)


def _part_of_day(hour: int) -> str:
    if hour < 12:
        return "in the morning"
    if hour < 18:
        return "in the afternoon"
    return "in the evening" if hour < 21 else "at night"


def number(value: int) -> str:
    """0 to 99."""
    if value < 20:
        return _ONES[value]
    tens, ones = divmod(value, 10)
    return f"{_TENS[tens]}-{_ONES[ones]}" if ones else _TENS[tens]


def ordinal(value: int) -> str:
    """1 to 99."""
    head, hyphen, last = number(value).rpartition("-")
    return f"{head}{hyphen}{_ORDINALS.get(last, f'{last}th')}"


def year(value: int) -> str:
    """`twenty twenty-six`, `nineteen oh five`, `two thousand and nine`, `eight hundred`."""
    hundreds, rest = divmod(value, 100)
    if hundreds == 0:
        return number(rest)
    if hundreds % 10 == 0 and rest < 10:
        thousands = f"{number(hundreds // 10)} thousand"
        return f"{thousands} and {number(rest)}" if rest else thousands
    if rest == 0:
        return f"{number(hundreds)} hundred"
    return f"{number(hundreds)} {f'oh {number(rest)}' if rest < 10 else number(rest)}"

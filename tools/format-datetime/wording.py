"""The four styles. Each writer takes the moment in its zone, the locale and the time it is now."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from .english import say

if TYPE_CHECKING:
    from babel import Locale

Writer = Callable[[datetime, "Locale", datetime], str]


def short(moment: datetime, locale: Locale, now: datetime) -> str:
    from babel.dates import format_datetime

    return _plain_spaces(format_datetime(moment, "short", locale=locale))


def long(moment: datetime, locale: Locale, now: datetime) -> str:
    from babel.dates import get_timezone_name

    return f"{_date_and_time(moment, locale)} {_plain_spaces(get_timezone_name(moment, width='long', locale=locale))}"


def spoken(moment: datetime, locale: Locale, now: datetime) -> str:
    if locale.language == "en":
        return say(moment, this_year=now.astimezone(moment.tzinfo).year)
    return _date_and_time(moment, locale)


def relative(moment: datetime, locale: Locale, now: datetime) -> str:
    from babel.dates import format_timedelta

    return _plain_spaces(format_timedelta(moment - now, add_direction=True, locale=locale))


def _date_and_time(moment: datetime, locale: Locale) -> str:
    from babel.dates import format_date, format_time, get_datetime_format

    date = format_date(moment, "full", locale=locale)
    time = format_time(moment, "short", locale=locale)
    joined = get_datetime_format("full", locale=locale).replace("'", "").replace("{1}", date).replace("{0}", time)
    return _plain_spaces(joined)


def _plain_spaces(text: str) -> str:
    """Narrow and non-breaking spaces are for typesetting; in speech and in comparisons they only surprise."""
    return text.replace("\u202f", " ").replace("\u00a0", " ")


WRITERS: dict[str, Writer] = {"short": short, "long": long, "spoken": spoken, "relative": relative}

"""The bounds of a search in time, as moments that a calendar has and in the right order."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime


class BadDates(Exception):
    """The message is for the model."""


def dates(asked: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Start and end in UTC, None where there is none; raises `BadDates`."""
    start, end = _moment(asked, "start"), _moment(asked, "end")
    if start and end and end < start:
        raise BadDates("filters.date_range ends before it starts")
    return _written(start), _written(end)


def _moment(asked: Mapping[str, str], name: str) -> datetime | None:
    if name not in asked:
        return None
    try:
        return datetime.fromisoformat(asked[name].upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        # Leap seconds and the edges of the first and the last year: valid date-times that no record can have.
        raise BadDates(f"filters.date_range.{name} is not a time that the calendar here can show") from None


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()

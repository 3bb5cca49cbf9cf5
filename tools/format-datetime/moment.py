"""From RFC 3339 text to an instant, and from an instant to a zone.

A zone is only ever applied to an absolute instant, so the hours that daylight saving skips or repeats cannot arise.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo


class OutOfRange(ValueError):
    """No calendar date of the years 1 to 9999."""


def parse(text: str) -> datetime:
    """The instant that a date-time names, with its offset."""
    try:
        # RFC 3339 allows a lower-case t and z, and second 60, which is the first of the next minute.
        head, seconds, rest = text[:17].upper(), text[17:19], text[19:].upper()
        leap = timedelta(seconds=1) if seconds == "60" else timedelta()
        moment = datetime.fromisoformat(head + ("59" if leap else seconds) + rest) + leap
    except (ValueError, OverflowError):
        raise OutOfRange("value must be a date-time of the years 1 to 9999, e.g. 2026-03-03T14:30:00Z") from None
    if moment.tzinfo is None:
        raise OutOfRange("value needs a zone: end it with Z or an offset such as +01:00")
    return moment


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    try:
        return moment.astimezone(zone)
    except OverflowError:
        raise OutOfRange("value falls outside the years 1 to 9999 in that time zone") from None


def rfc3339(moment: datetime) -> str:
    """The instant as text. Offsets of local mean time had seconds, which RFC 3339 cannot write: they are left out."""
    minutes = (moment.utcoffset() or timedelta()) // timedelta(minutes=1)
    return in_zone(moment, timezone(timedelta(minutes=minutes))).isoformat()

"""Arguments of the two calendar tools: from when to when, which calendars, who comes and what it is called."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from typing import Any

from ambidex.offline.slots.addresses import emails
from ambidex.offline.slots.heard import Heard
from ambidex.offline.slots.moments import duration, moments
from ambidex.offline.slots.schema import stamp, title

_PARTS = {"morning": (6, 12), "afternoon": (12, 18), "evening": (18, 23)}
_CALENDARS = ("primary", "team", "personal")
_DAY = timedelta(days=1)


def range_to_look_at(heard: Heard) -> dict[str, Any]:
    """Whole days, a part of one, or a week; nothing of the past of today."""
    found: dict[str, Any] = {}
    if (span := _span(heard)) is not None:
        start, end = span
        found = {"start_date": stamp(max(start, heard.now)), "end_date": stamp(end)}
    if calendars := [name for name in _CALENDARS if re.search(rf"\b{name}\b", heard.said, re.IGNORECASE)]:
        found["calendars"] = calendars
    if length := duration(heard.said):
        found["min_duration_minutes"] = int(length.total_seconds() // 60)
    return found


def event_to_create(heard: Heard) -> dict[str, Any]:
    """Two times are beginning and end; of one, how long it takes tells the end."""
    found: dict[str, Any] = {}
    if name := title(heard.said):
        found["title"] = name
    told = [moment.at for moment in moments(heard.said, heard.now) if moment.has_time]
    length = duration(heard.said)
    if told:
        found["start_time"] = stamp(told[0])
    if len(told) > 1:
        found["end_time"] = stamp(told[1])
    elif told and length:
        found["end_time"] = stamp(told[0] + length)
    if invited := emails(heard.said):
        found["attendees"] = invited
    if re.search(r"\b(?:no|without)(?: an?)? (?:zoom|video|meeting link)", heard.said, re.IGNORECASE):
        found["include_zoom_link"] = False
    return found


def _span(heard: Heard) -> tuple[datetime, datetime] | None:
    midnight = datetime.combine(heard.now.date(), time(), heard.now.tzinfo)
    monday = midnight - midnight.weekday() * _DAY
    if week := re.search(r"\b(this|next) week\b", heard.said, re.IGNORECASE):
        first = monday + (7 * _DAY if week[1].lower() == "next" else 0 * _DAY)
        return first, first + 7 * _DAY
    days = [moment.at for moment in moments(heard.said, heard.now)]
    if not days:
        return None
    first, last = (datetime.combine(at.date(), time(), at.tzinfo) for at in (days[0], days[-1]))
    if part := re.search(rf"\b({'|'.join(_PARTS)})\b", heard.said, re.IGNORECASE):
        begins, ends = _PARTS[part[1].lower()]
        return first + timedelta(hours=begins), last + timedelta(hours=ends)
    return first, last + _DAY

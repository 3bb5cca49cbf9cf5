"""Arguments of format_datetime: which moment, told where, in which zone it is wanted, in which language and style."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from ambidex.offline.slots.heard import Heard
from ambidex.offline.slots.moments import Moment, moments
from ambidex.offline.slots.numbers import digits
from ambidex.offline.slots.places import Place, language, places
from ambidex.offline.slots.schema import stamp

_STYLES: tuple[tuple[str, str], ...] = (
    ("relative", r"\bhow (?:long|far away|many \w+)\b|\b(?:days|hours|weeks) (?:until|till|since)\b|\bago\b"),
    ("spoken", r"\b(?:aloud|out loud|spoken|speak)\b"),
    ("short", r"\b(?:short|compact|brief)\b"),
)
_NOW = re.compile(
    r"\bwhat(?:'s| is|s)? (?:the )?(?:current )?time is it\b|\bcurrent time\b|\bright now\b", re.IGNORECASE
)
_BESIDE = re.compile(r"^[\s,]*(?:in\s+)?$", re.IGNORECASE)


def moment_to_tell(heard: Heard) -> dict[str, Any]:
    """Nothing of `value` where no moment is named: then it is asked for."""
    found: dict[str, Any] = {}
    written = digits(heard.said)
    told = next(iter(moments(heard.said, heard.now)), None)
    named = places(written)
    if told is not None:
        source = _source(told, named, written)
        found["value"] = stamp(_in(told, source).at)
        named = [place for place in named if place is not source]
    elif _NOW.search(heard.said):
        found["value"] = stamp(heard.now.replace(microsecond=0))
    if named:
        found["timezone"] = named[-1].zone
    if tongue := language(heard.said):
        found["locale"] = tongue
    if style := next((name for name, shape in _STYLES if re.search(shape, heard.said, re.IGNORECASE)), None):
        found["style"] = style
    return found


def _source(told: Moment, named: list[Place], written: str) -> Place | None:
    """The place whose clock showed that time: the one after it, if another is asked for or nothing stands between."""
    after = next((place for place in named if place.start >= told.end), None)
    if told.has_zone or after is None:
        return None
    if len(named) > 1:
        return after
    between = written[told.end : after.start]
    return after if _BESIDE.match(between) and " in " not in f" {between} " else None


def _in(told: Moment, place: Place | None) -> Moment:
    return told if place is None else replace(told, at=told.at.replace(tzinfo=ZoneInfo(place.zone)))

"""Places and languages by name: time zones by city, locales by adjective, regions of telephone numbers."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple
from zoneinfo import available_timezones

_ALIASES = {
    "utc": "UTC", "gmt": "UTC", "zulu": "UTC",
    "pacific": "America/Los_Angeles", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles",
    "mountain": "America/Denver", "central": "America/Chicago", "cst": "America/Chicago",
    "eastern": "America/New_York", "est": "America/New_York", "edt": "America/New_York", "nyc": "America/New_York",
    "la": "America/Los_Angeles", "san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles",
    "boston": "America/New_York", "washington": "America/New_York", "miami": "America/New_York",
    "cet": "Europe/Berlin", "cest": "Europe/Berlin", "munich": "Europe/Berlin", "hamburg": "Europe/Berlin",
    "frankfurt": "Europe/Berlin", "cologne": "Europe/Berlin", "geneva": "Europe/Zurich", "barcelona": "Europe/Madrid",
    "milan": "Europe/Rome", "rotterdam": "Europe/Amsterdam", "edinburgh": "Europe/London",
    "delhi": "Asia/Kolkata", "new delhi": "Asia/Kolkata", "mumbai": "Asia/Kolkata", "bangalore": "Asia/Kolkata",
    "india": "Asia/Kolkata", "beijing": "Asia/Shanghai", "china": "Asia/Shanghai", "osaka": "Asia/Tokyo",
    "tel aviv": "Asia/Jerusalem", "rio": "America/Sao_Paulo", "rio de janeiro": "America/Sao_Paulo",
    "cape town": "Africa/Johannesburg", "germany": "Europe/Berlin", "spain": "Europe/Madrid", "italy": "Europe/Rome",
    "france": "Europe/Paris", "uk": "Europe/London", "england": "Europe/London",
}  # fmt: skip
_NOT_CITIES = frozenset(
    {"center", "easter", "general", "eastern", "central", "mountain", "pacific", "male", "south", "north", "christmas"}
)
_LANGUAGES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt",
    "dutch": "nl", "polish": "pl", "swedish": "sv", "danish": "da", "norwegian": "nb", "finnish": "fi",
    "czech": "cs", "greek": "el",
    "turkish": "tr", "russian": "ru", "ukrainian": "uk", "japanese": "ja", "chinese": "zh", "korean": "ko",
    "arabic": "ar", "hindi": "hi", "hungarian": "hu", "romanian": "ro",
}  # fmt: skip
_REGIONS = {
    "american": "US", "us": "US", "usa": "US", "german": "DE", "germany": "DE", "uk": "GB", "british": "GB",
    "french": "FR", "france": "FR", "spanish": "ES", "spain": "ES", "italian": "IT", "italy": "IT",
    "dutch": "NL", "austrian": "AT",
    "swiss": "CH", "portuguese": "PT", "portugal": "PT", "polish": "PL", "canadian": "CA", "indian": "IN",
    "norwegian": "NO", "swedish": "SE", "danish": "DK", "irish": "IE",
}  # fmt: skip


class Place(NamedTuple):
    zone: str
    start: int
    end: int


def places(text: str) -> list[Place]:
    """Time zones in the order they are named."""
    found = [Place(_zones()[match[0].lower()], match.start(), match.end()) for match in _zone_shape().finditer(text)]
    # "us", "la" and "cst" are words or something else when they stand alone in small letters.
    return [place for place in found if text[place.start : place.end] not in {"la", "uk", "central", "mountain"}]


def language(text: str) -> str | None:
    return _named(_LANGUAGES, text)


def region(text: str) -> str | None:
    return _named(_REGIONS, re.sub(r"\bus\b", "", text))


def _named(table: dict[str, str], text: str) -> str | None:
    return next((table[word] for word in re.findall(r"[a-z]+", text.lower()) if word in table), None)


@cache
def _zones() -> dict[str, str]:
    """The last part of a zone's name is a city."""
    cities: dict[str, str] = {}
    for zone in sorted(available_timezones()):
        area, _, city = zone.partition("/")
        name = city.rsplit("/", 1)[-1].replace("_", " ").lower()
        if (
            area in {"Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
            and name not in _NOT_CITIES
        ):
            cities.setdefault(name, zone)
    return cities | _ALIASES


@cache
def _zone_shape() -> re.Pattern[str]:
    names = sorted(map(re.escape, _zones()), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(names)})\b", re.IGNORECASE)

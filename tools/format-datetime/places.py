"""Time zones and locales by name; an unknown one is answered with the name that was probably meant."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, available_timezones

if TYPE_CHECKING:
    from babel import Locale

_LOCALE_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,4}")


class UnknownName(LookupError):
    """`message` says what is unknown, `suggestion` what to use instead."""

    def __init__(self, message: str, suggestion: str) -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion


def find_zone(name: str) -> ZoneInfo:
    zones = _zones()
    if not zones:
        raise ModuleNotFoundError("no time zone database", name="tzdata")
    if zones.get(_folded(name)) == name:
        return ZoneInfo(name)
    meant = _nearest_zone(name, zones)
    hint = f"Did you mean {meant}?" if meant else "Use an IANA name such as Europe/Berlin or America/New_York."
    raise UnknownName("timezone is not a known IANA time zone", hint)


@lru_cache(maxsize=1)
def _zones() -> dict[str, str]:
    """Every zone by its folded name and, where it has one, by its city: `berlin` -> `Europe/Berlin`."""
    names = sorted(available_timezones())
    cities = {_folded(name.rpartition("/")[2]): name for name in names if "/" in name}
    return cities | {_folded(name): name for name in names}


def _folded(name: str) -> str:
    return name.strip().casefold().replace(" ", "_")


def _nearest_zone(name: str, zones: dict[str, str]) -> str | None:
    close = difflib.get_close_matches(_folded(name), zones, n=1, cutoff=0.75)
    return zones[close[0]] if close else None


def find_locale(tag: str) -> Locale:
    from babel import Locale, UnknownLocaleError

    advice = "Use a language tag such as en, de or pt-BR."
    if not _LOCALE_TAG.fullmatch(tag):
        raise UnknownName("locale is not a language tag", advice)
    try:
        return Locale.parse(tag.replace("_", "-"), sep="-")
    except (UnknownLocaleError, ValueError):
        raise UnknownName("locale is not one that dates can be written in", advice) from None

"""The four finders in the order in which they claim: links, addresses, numbers, people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .emails import find_emails
from .people import find_people
from .phones import find_phones
from .spans import Claims
from .urls import find_urls


def find_contacts(text: str, region: str) -> dict[str, list[dict[str, Any]]]:
    """Every contact once, where it first stands; `text[start:end]` is the name, the value or the raw number."""
    taken = Claims(len(text))
    urls = find_urls(text, taken)
    emails = find_emails(text, taken)
    phones = find_phones(text, region, taken)
    people = find_people(text, emails, taken)
    return {
        "people": _once([{"name": text[start:end], "start": start, "end": end} for start, end in people], "name"),
        "emails": _once([_found(text, start, end) for start, end in emails], "value"),
        "phones": _once(
            [{"value": value, "raw": text[start:end], "start": start, "end": end} for value, start, end in phones],
            "value",
        ),
        "urls": _once([_found(text, start, end) for start, end in urls], "value"),
    }


def _found(text: str, start: int, end: int) -> dict[str, Any]:
    return {"value": text[start:end], "start": start, "end": end}


def _once(found: Iterable[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """The first of those that differ in case only."""
    first: dict[str, dict[str, Any]] = {}
    for item in found:
        first.setdefault(item[name].casefold(), item)
    return list(first.values())

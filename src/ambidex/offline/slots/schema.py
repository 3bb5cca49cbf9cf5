"""Arguments by the shape of a schema alone: what any tool gets, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from ambidex.offline.slots.addresses import emails, phones
from ambidex.offline.slots.heard import Heard
from ambidex.offline.slots.moments import duration, moments
from ambidex.offline.slots.numbers import digits
from ambidex.offline.words import quoted

_TITLES = frozenset({"title", "name", "subject", "headline", "summary"})
_CALLED = re.compile(
    r"\b(?:called|named|titled|title|subject)[:\s]+(.+?)(?=\s+(?:on|at|for|with|from|to|tomorrow|today|next)\b|[,.?!]|$)",
    re.IGNORECASE,
)


def by_schema(heard: Heard, schema: Mapping[str, Any]) -> dict[str, Any]:
    """What can be told for sure; a free text that is required gets the words that nothing else took."""
    properties: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    found: dict[str, Any] = _times(heard, properties)
    for name, about in properties.items():
        if name not in found and (value := _value(name, about, heard)) is not None:
            found[name] = value
    free = [name for name in schema.get("required", ()) if name not in found and is_free(properties.get(name, {}))]
    if len(free) == 1 and not found and (rest := heard.payload or heard.bare):
        found[free[0]] = rest
    return found


def _value(name: str, about: Mapping[str, Any], heard: Heard) -> Any:
    if "enum" in about:
        return next((value for value in about["enum"] if _says(heard.said, value)), None)
    kind = about.get("type")
    if kind == "array":
        return _several(about, heard)
    if kind in ("integer", "number"):
        return _number(name, heard.said)
    if kind == "boolean":
        return _flag(name, heard.said)
    return _text(name, about, heard) if kind == "string" else None


def _several(about: Mapping[str, Any], heard: Heard) -> list[Any] | None:
    items = about.get("items", {})
    if items.get("format") == "email":
        return emails(heard.said) or None
    return [value for value in items.get("enum", ()) if _says(heard.said, value)] or None


def _text(name: str, about: Mapping[str, Any], heard: Heard) -> str | None:
    if about.get("format") == "email" or name in ("email", "e_mail"):
        return next(iter(emails(heard.said)), None)
    if "phone" in name:
        return next(iter(phones(heard.said, heard.region)), None)
    if about.get("format") == "date":
        return next((moment.at.date().isoformat() for moment in moments(heard.said, heard.now)), None)
    if "pattern" in about:
        return next((word for word in _bare_words(heard.said) if re.search(about["pattern"], word)), None)
    return title(heard.said) if name in _TITLES else None


def title(text: str) -> str | None:
    """What something is to be called: in quotation marks, or after a word that says so."""
    found = _CALLED.search(text)
    return next(iter(quoted(text)), found[1].strip() if found else None)


def _times(heard: Heard, properties: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Date-times in the order the schema names them; an end that was not said follows from how long it takes."""
    names = [name for name, about in properties.items() if about.get("format") == "date-time"]
    told = [moment.at for moment in moments(heard.said, heard.now) if moment.has_time] if names else []
    if len(told) == 1 and len(names) > 1 and names[1].startswith("end") and (length := duration(heard.said)):
        told += _later(told[0], length)
    return {name: stamp(at) for name, at in zip(names, told, strict=False)}


def _later(at: datetime, length: timedelta) -> list[datetime]:
    """Nothing where the calendar ends before."""
    return [at + length] if at.replace(tzinfo=None) <= datetime.max - length else []


def stamp(at: datetime) -> str:
    """As RFC 3339."""
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _says(text: str, value: Any) -> bool:
    said = re.sub(r"[_-]+", " ", str(value)).lower()
    return re.search(rf"\b{re.escape(said)}\b", re.sub(r"[_-]+", " ", text).lower()) is not None


def _number(name: str, text: str) -> int | None:
    """A number beside the argument's own name: "3 guests", "guests: 3"."""
    word = re.escape(name.replace("_", " ").rstrip("s"))
    found = re.search(rf"\b(\d{{1,9}}) {word}s?\b|\b{word}s?[:=\s]+(\d{{1,9}})\b", digits(text), re.IGNORECASE)
    return int(found[1] or found[2]) if found else None


def _flag(name: str, text: str) -> bool | None:
    words = [word for word in name.split("_") if word not in ("include", "with", "is", "has")]
    said = re.search(rf"\b(no|without|with)\s+(?:an?\s+)?{'[ _]'.join(map(re.escape, words))}", text, re.IGNORECASE)
    return None if said is None else said[1].lower() == "with"


def _bare_words(text: str) -> list[str]:
    return list(filter(None, (word.strip(",.;:!?\"'()") for word in text.split())))


def is_free(about: Mapping[str, Any]) -> bool:
    """Whether any text will do."""
    return about.get("type") == "string" and not about.keys() & {"format", "enum", "pattern", "const"}

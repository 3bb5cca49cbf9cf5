"""Ids that look like one that is not there."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from difflib import SequenceMatcher

from ambidex.capabilities.kb.search.words import query_words, storable
from ambidex.capabilities.kb.sqlite.conditions import Conditions
from ambidex.capabilities.kb.sqlite.lexical import Fts5

_ALIKE = 0.6
_CANDIDATES = 200
_PREFIX = 3


def near_ids(link: sqlite3.Connection, id: str, namespaces: Sequence[str], most: int) -> list[str]:
    """The nearest first: ids that begin alike, and records whose words are the id's words."""
    if not namespaces:
        return []
    asked = storable(id).casefold()
    candidates = _beginning_alike(link, asked, namespaces) | _sharing_words(link, asked, namespaces)
    alike = [(SequenceMatcher(None, asked, other).ratio(), other) for other in candidates if other != id]
    return [other for ratio, other in sorted(alike, key=lambda pair: (-pair[0], pair[1])) if ratio >= _ALIKE][:most]


def _beginning_alike(link: sqlite3.Connection, asked: str, namespaces: Sequence[str]) -> set[str]:
    """By prefixes, the longest first, until there are enough to choose from."""
    kind, _, slug = asked.rpartition(":")
    condition, values = Conditions(tuple(namespaces), None, (), None, None).sql
    found: set[str] = set()
    for length in range(len(slug), 0, -1):
        if length > _PREFIX * 4 or (length < _PREFIX and found):
            continue
        start = f"{kind}:{slug[:length]}"
        rows = link.execute(
            f"SELECT r.id FROM records r WHERE r.id >= ? AND r.id < ? AND {condition} LIMIT ?",  # noqa: S608
            (start, f"{start}\U0010ffff", *values, _CANDIDATES),
        )
        found |= {other for (other,) in rows}
        if len(found) >= _CANDIDATES:
            break
    return found


def _sharing_words(link: sqlite3.Connection, asked: str, namespaces: Sequence[str]) -> set[str]:
    words = query_words(asked.rpartition(":")[2])
    if not words:
        return set()
    matches = Fts5(link).best(words, Conditions(tuple(namespaces), None, (), None, None), 50)
    marks = ", ".join("?" * len(matches))
    rows = link.execute(f"SELECT id FROM records WHERE row IN ({marks})", [m.record for m in matches])  # noqa: S608
    return {other for (other,) in rows}

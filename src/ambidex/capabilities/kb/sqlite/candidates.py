"""Candidates by meaning, and the database's word on candidates of any kind."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from ambidex.capabilities.kb.search.passages import LENGTH
from ambidex.capabilities.kb.sqlite.conditions import Conditions
from ambidex.capabilities.kb.sqlite.keeping import WORDS_ALONE
from ambidex.capabilities.kb.sqlite.lexical import Match
from ambidex.capabilities.kb.sqlite.placing import TYPE_CODES

if TYPE_CHECKING:
    from ambidex.capabilities.kb.sqlite.vector_file import Floats, Slots


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a query is compared with."""

    query: Floats
    slots: Slots


@dataclass(frozen=True, slots=True)
class Place:
    """Where the database has a passage now."""

    record: int
    slot: int | None


def confirmed(link: sqlite3.Connection, within: Conditions, passages: Collection[int]) -> dict[int, Place]:
    """Those passages that are there and that the filters let through. An index may be behind, the database is not."""
    condition, values = within.sql
    rows = link.execute(
        f"""
        SELECT p.id, p.record, p.slot FROM json_each(?) j CROSS JOIN passages p ON p.id = j.value
        CROSS JOIN records r ON r.row = p.record WHERE {condition}
        """,  # noqa: S608 - the condition is made of our own words; every value is bound
        (json.dumps(list(passages)), *values),
    )
    return {passage: Place(record, slot) for passage, record, slot in rows}


def windows_of(link: sqlite3.Connection, passages: Collection[int]) -> dict[int, Place]:
    """The windows of passages that were found by words, which are known by their first one alone.

    In a very long text that one may have no vector by choice; the last before it that has one speaks for it.
    """
    rows = link.execute(
        """
        SELECT q.id, q.record, q.slot FROM json_each(?) j CROSS JOIN passages p ON p.id = j.value
        CROSS JOIN passages q ON q.record = p.record AND q.start < p.start + ? AND q.start >= CASE p.hash WHEN ? THEN
        (SELECT max(start) FROM passages WHERE record = p.record AND start < p.start AND slot IS NOT NULL)
        ELSE p.start END
        """,
        (json.dumps(list(passages)), LENGTH, WORDS_ALONE),
    )
    return {passage: Place(record, slot) for passage, record, slot in rows}


def near_places(link: sqlite3.Connection, meaning: Meaning, within: Conditions, most: int) -> dict[int, Place]:
    """The nearest passages of so many records, if there are as many, the nearest first."""
    from ambidex.capabilities.kb.sqlite.scan import nearest, selected

    slots = meaning.slots
    among = selected(
        slots,
        namespaces=_codes(link, within.namespaces),
        type=None if within.type is None else TYPE_CODES.get(within.type, 0),
        start=within.start,
        end=within.end,
        tags=within.tags,
    )
    asked = most
    while True:
        found = nearest(slots, among, meaning.query, records=asked)
        at = {int(slots.passage[slot]): int(slot) for slot in found}
        places = confirmed(link, within, at)
        # A passage that has moved leaves an old slot behind, until it is blanked.
        current = {passage: place for passage, place in places.items() if place.slot == at[passage]}
        if len(current) >= most or len(found) < asked:
            return dict(islice(current.items(), most))
        asked *= 4


def by_meaning(meaning: Meaning, places: Mapping[int, Place]) -> dict[int, Match]:
    """The best passage of each record that has a vector, nearest first."""
    import numpy as np

    from ambidex.capabilities.kb.sqlite.scan import cosines

    placed = [(number, place.record, place.slot) for number, place in places.items() if place.slot is not None]
    if not placed:
        return {}
    near = cosines(meaning.slots, np.array([slot for _, _, slot in placed]), meaning.query).tolist()
    matches = [Match(record, passage, cosine) for (passage, record, _), cosine in zip(placed, near, strict=True)]
    best: dict[int, Match] = {}
    for match in sorted(matches, key=lambda match: (-match.score, match.passage)):
        best.setdefault(match.record, match)
    return best


def _codes(link: sqlite3.Connection, names: Sequence[str]) -> list[int]:
    marks = ", ".join("?" * len(names))
    rows: list[Any] = link.execute(f"SELECT code FROM namespaces WHERE name IN ({marks})", names).fetchall()  # noqa: S608
    return [code for (code,) in rows]

"""The two rankings of one search, each within the filters: by words, and by meaning."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ambidex.capabilities.kb.sqlite.conditions import Conditions
from ambidex.capabilities.kb.sqlite.lexical import Match
from ambidex.capabilities.kb.sqlite.placing import TYPE_CODES

if TYPE_CHECKING:
    from ambidex.capabilities.kb.sqlite.vector_file import Floats, Numbers, Slots


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a query is compared with."""

    query: Floats
    embedder: int
    slots: Slots


def near_passages(link: sqlite3.Connection, meaning: Meaning, within: Conditions, most: int) -> list[int]:
    """Passages of the records that are nearest, by the vector file."""
    from ambidex.capabilities.kb.sqlite.scan import nearest, selected

    among = selected(
        meaning.slots,
        namespaces=_codes(link, within.namespaces),
        type=None if within.type is None else TYPE_CODES.get(within.type, 0),
        start=within.start,
        end=within.end,
        records=_tagged(link, within.tags) if within.tags else None,
    )
    found = nearest(meaning.slots, among, meaning.query, records=most)
    return [int(number) for number in meaning.slots.facts["passage"][found]]


def exact(link: sqlite3.Connection, meaning: Meaning, within: Conditions, passages: Collection[int]) -> list[Match]:
    """Those passages that the filters let through, with their true cosine, nearest first: the database decides."""
    import numpy as np

    condition, values = within.sql
    rows = link.execute(
        f"""
        SELECT p.record, p.id, v.vector FROM json_each(?) j CROSS JOIN passages p ON p.id = j.value
        CROSS JOIN records r ON r.row = p.record CROSS JOIN vectors v ON v.embedder = ? AND v.passage = p.id
        WHERE {condition}
        """,  # noqa: S608 - the condition is made of our own words; every value is bound
        (json.dumps(list(passages)), meaning.embedder, *values),
    ).fetchall()
    if not rows:
        return []
    vectors = np.frombuffer(b"".join(row[2] for row in rows), np.float16).reshape(len(rows), -1)
    cosines = vectors.astype(np.float32) @ meaning.query
    matches = [Match(row[0], row[1], float(cosine)) for row, cosine in zip(rows, cosines, strict=True)]
    return sorted(matches, key=lambda match: (-match.score, match.passage))


def by_record(matches: Sequence[Match]) -> dict[int, Match]:
    """The best of each record; the order stays."""
    best: dict[int, Match] = {}
    for match in matches:
        best.setdefault(match.record, match)
    return best


def _codes(link: sqlite3.Connection, names: Sequence[str]) -> list[int]:
    marks = ", ".join("?" * len(names))
    rows: list[Any] = link.execute(f"SELECT code FROM namespaces WHERE name IN ({marks})", names).fetchall()  # noqa: S608
    return [code for (code,) in rows]


def _tagged(link: sqlite3.Connection, tags: Sequence[str]) -> Numbers:
    """Records that have every tag. One text of numbers crosses into Python faster than a row for each."""
    import numpy as np

    also = "".join(f" CROSS JOIN tags t{n} ON t{n}.tag = ? AND t{n}.row = t0.row" for n in range(1, len(tags)))
    query = f"SELECT group_concat(t0.row) FROM tags t0{also} WHERE t0.tag = ?"  # noqa: S608
    [numbers] = link.execute(query, (*tags[1:], tags[0])).fetchone()
    return np.fromstring(numbers or "", np.int64, sep=",")

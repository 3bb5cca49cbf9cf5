"""Searching by words: the protocol, and the FTS5 table in the database, which is always there and always current."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ambidex.capabilities.kb.search.relevance import rarity
from ambidex.capabilities.kb.sqlite.conditions import Conditions

_COUNTED = 1_000


@dataclass(frozen=True, slots=True)
class Match:
    """A record's best passage."""

    record: int
    passage: int
    score: float
    """BM25; higher is better."""


class Lexical(Protocol):
    name: str

    def best(self, words: Sequence[str], within: Conditions, most: int) -> list[Match]:
        """The records that match any of the words, best first."""
        ...


class Fts5:
    name = "fts5"

    def __init__(self, link: sqlite3.Connection) -> None:
        self._link = link

    def best(self, words: Sequence[str], within: Conditions, most: int) -> list[Match]:
        condition, values = within.sql
        # CROSS JOIN keeps the order: words first, then filters, and BM25 (the costly part) only for what is left. The
        # limit keeps SQLite from folding the inner query into the outer one, where bm25() has no meaning.
        rows = self._link.execute(
            f"""
            SELECT record, passage, min(rank) FROM (
                SELECT p.record, p.id AS passage, bm25(lexical) AS rank
                FROM lexical CROSS JOIN passages p ON p.id = lexical.rowid CROSS JOIN records r ON r.row = p.record
                WHERE lexical MATCH ? AND {condition} LIMIT -1
            ) GROUP BY record ORDER BY 3, 1 LIMIT ?
            """,  # noqa: S608 - the condition is made of our own words; every value is bound
            (any_of(words), *values, most),
        )
        return [Match(record, passage, -rank) for record, passage, rank in rows]


class Checked:
    """An index outside the database, whose matches the database must confirm."""

    def __init__(self, index: Lexical, link: sqlite3.Connection) -> None:
        self.name = index.name
        self._index, self._link = index, link

    def best(self, words: Sequence[str], within: Conditions, most: int) -> list[Match]:
        matches = self._index.best(words, within, most)
        condition, values = within.sql
        confirmed = self._link.execute(
            f"""
            SELECT p.id FROM json_each(?) j CROSS JOIN passages p ON p.id = j.value
            CROSS JOIN records r ON r.row = p.record WHERE {condition}
            """,  # noqa: S608 - the condition is made of our own words; every value is bound
            (json.dumps([match.passage for match in matches]), *values),
        ).fetchall()
        there = {passage for (passage,) in confirmed}
        return [match for match in matches if match.passage in there]


def word_weights(link: sqlite3.Connection, words: Sequence[str]) -> dict[str, float]:
    """How rare each word is. Passages are counted up to a point; beyond it, their density so far tells the rest."""
    [last] = link.execute("SELECT coalesce(max(id), 0) FROM passages").fetchone()
    weights = {}
    for word in words:
        held, reached = link.execute(
            "SELECT count(*), max(rowid) FROM (SELECT rowid FROM lexical WHERE lexical MATCH ? LIMIT ?)",
            (any_of([word]), _COUNTED),
        ).fetchone()
        weights[word] = rarity(last, held if held < _COUNTED else min(last, held * last // reached))
    return weights


def any_of(words: Sequence[str]) -> str:
    """An FTS5 query. In quotes a word is a word, whatever characters it is made of."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)

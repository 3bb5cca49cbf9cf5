"""Searching by words: the protocol, and the FTS5 table in the database, which is always there and always current."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from ambidex.capabilities.kb.search.relevance import rarity
from ambidex.capabilities.kb.sqlite.conditions import Conditions

_COUNTED = 1_000
_MANY_PASSAGES = 20_000
_FEW_PASSAGES = 1_000
_NEXT_TO_NOTHING = 1e-6
"""The least weight of a word in FTS5, for those that half of all texts hold. Of two notes that is every word."""
_COMMON = 0.1
"""Of many passages: a word in more than this share of them costs FTS5 more than it tells, if there are rarer ones."""


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
        """The records that match any of the words, best first; perhaps one that has changed meanwhile."""
        ...

    def weights(self, words: Sequence[str]) -> dict[str, float]:
        """How rare each word is."""
        ...


class Fts5:
    name = "fts5"

    def __init__(self, link: sqlite3.Connection) -> None:
        self._link = link
        self._held: dict[str, int] = {}

    def best(self, words: Sequence[str], within: Conditions, most: int) -> list[Match]:
        """By the rare words, where common ones would make it walk through most of a large base."""
        last = self._last_passage()
        if (rows := self._rows(last)) < _FEW_PASSAGES:
            return self._best_of_few(words, within, most, rows)
        rare = [word for word in words if last < _MANY_PASSAGES or self._holding(word, last) <= last * _COMMON]
        found = self._best(rare, within, most) if rare else []
        return found or (self._best(words, within, most) if len(rare) < len(words) else [])

    def weights(self, words: Sequence[str]) -> dict[str, float]:
        last = self._last_passage()
        rows = self._rows(last)
        return {word: rarity(rows, self._holding(word, last)) for word in words}

    def _best_of_few(self, words: Sequence[str], within: Conditions, most: int, rows: int) -> list[Match]:
        """Word by word, with our weight instead of the one that FTS5 gives it."""
        scores: dict[tuple[int, int], float] = {}
        for word in words:
            held = self._holding(word, rows)
            lift = rarity(rows, held) / max(math.log((rows - held + 0.5) / (held + 0.5)), _NEXT_TO_NOTHING)
            for record, passage, score in self._matches(word, within):
                scores[record, passage] = scores.get((record, passage), 0.0) + lift * score
        best: dict[int, Match] = {}
        for (record, passage), score in sorted(scores.items(), key=lambda item: (-item[1], item[0])):
            best.setdefault(record, Match(record, passage, score))
        return list(best.values())[:most]

    def _matches(self, word: str, within: Conditions) -> Iterator[tuple[int, int, float]]:
        """Record, passage and BM25 of whatever holds the word."""
        condition, values = within.sql
        return self._link.execute(
            f"""
            SELECT p.record, p.id, -bm25(lexical)
            FROM lexical CROSS JOIN passages p ON p.id = lexical.rowid CROSS JOIN records r ON r.row = p.record
            WHERE lexical MATCH ? AND {condition}
            """,  # noqa: S608 - the condition is made of our own words; every value is bound
            (any_of([word]), *values),
        )

    def _rows(self, last: int) -> int:
        return self._counted("SELECT id FROM lexical_docsize LIMIT ?", (), last)

    def _best(self, words: Sequence[str], within: Conditions, most: int) -> list[Match]:
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

    def _last_passage(self) -> int:
        [last] = self._link.execute("SELECT coalesce(max(id), 0) FROM passages").fetchone()
        return int(last)

    def _holding(self, word: str, last: int) -> int:
        """Passages that hold a word."""
        if word not in self._held:
            query = "SELECT rowid AS id FROM lexical WHERE lexical MATCH ? LIMIT ?"
            self._held[word] = self._counted(query, (any_of([word]),), last)
        return self._held[word]

    def _counted(self, query: str, values: tuple[str, ...], last: int) -> int:
        """Rows counted up to a point; beyond it, their density so far tells the rest."""
        counting = f"SELECT count(*), max(id) FROM ({query})"  # noqa: S608 - the queries are the two above
        found, reached = self._link.execute(counting, (*values, _COUNTED)).fetchone()
        return int(found if found < _COUNTED else min(last, found * last // reached))


def any_of(words: Sequence[str]) -> str:
    """An FTS5 query. In quotes a word is a word, whatever characters it is made of."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)

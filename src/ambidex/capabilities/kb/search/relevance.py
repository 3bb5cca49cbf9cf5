"""Whether anything that was found is about the question, or only shares words with it.

With an embedder the raw cosine decides, against a threshold that belongs to the embedder. Without one, the share of the
question's words that the best hits hold decides, each word weighted by how rare it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

COVERED = 0.25
"""Without an embedder: a hit with less than this share of the question's weight is about something else.

Three collections were asked their own questions and each other's, 290 of them: one of the best five passages reaches
this for 100, 70 and 50 % of the own ones (the last two are paraphrased: an answer need not share a word with them), and
none does for 60 to 100 % of the foreign ones. 0.5 would keep back 88 % of the answers to paraphrased questions.
"""

_BM25_MOST = 2.2
"""A word's weight in BM25 is at most this times its rarity, with k1 = 1.2 as in FTS5 and tantivy."""


def any_relevant(similarities: Iterable[float], threshold: float) -> bool:
    return any(similarity >= threshold for similarity in similarities)


def rarity(texts: int, holding: int) -> float:
    """The weight of a word that so many of all texts hold; never negative."""
    return math.log1p((texts - holding + 0.5) / (holding + 0.5))


def ideal(weights: Iterable[float]) -> float:
    """The BM25 that a text comes near to when it holds every word of the question, and often."""
    return _BM25_MOST * sum(weights) or 1.0


def coverage(held: Iterable[str], weights: Mapping[str, float]) -> float:
    """The share of the question's weight that a text's words carry."""
    whole = sum(weights.values())
    return sum(weights[word] for word in held) / whole if whole > 0 else 0.0

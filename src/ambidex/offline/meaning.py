"""How near a text is to phrases: by the vectors of an embedder, or by shared words and letters where there is none."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ambidex.offline.words import words

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Embedder


class Meaning(Protocol):
    """Phrases that were learnt once, and texts compared with them."""

    def nearness(self, text: str) -> list[float]:
        """One figure for each phrase, in their order; 1 is the same meaning."""
        ...


class VectorMeaning:
    """Cosines. The phrases are embedded when the first text comes."""

    def __init__(self, phrases: Sequence[str], embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows = embedder.embed(list(phrases))

    def nearness(self, text: str) -> list[float]:
        near: list[float] = (self._rows @ self._embedder.embed_query(text)).tolist()
        return near


class WordMeaning:
    """Cosines of weighted words and of their letters in threes, so that a typo costs little."""

    def __init__(self, phrases: Sequence[str]) -> None:
        counted = [_features(phrase) for phrase in phrases]
        seen_in = Counter(name for features in counted for name in features)
        self._weight = {name: math.log(1 + len(phrases) / times) for name, times in seen_in.items()}
        self._rare = math.log(1 + len(phrases))
        self._rows = [self._weighted(features) for features in counted]

    def nearness(self, text: str) -> list[float]:
        asked = self._weighted(_features(text))
        return [sum(value * row.get(name, 0.0) for name, value in asked.items()) for row in self._rows]

    def _weighted(self, features: Counter[str]) -> dict[str, float]:
        values = {name: count * self._weight.get(name, self._rare) for name, count in features.items()}
        length = math.sqrt(sum(value * value for value in values.values())) or 1.0
        return {name: value / length for name, value in values.items()}


def _features(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for word in words(text):
        found[f"={word}"] += 2
        padded = f" {word} "
        found.update(padded[start : start + 3] for start in range(len(padded) - 2))
    return found

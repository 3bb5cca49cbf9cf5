"""Vectors that are made once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ambidex.offline.remembering import Remembering


class Counting:
    """A text's length is all it knows, and it notes every text it was given."""

    identity, dim, relevance = "counting@1", 2, 0.5

    def __init__(self) -> None:
        self.given: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.given += texts
        return np.array([[len(text), 1.0] for text in texts], np.float32)

    def embed_query(self, text: str) -> Any:
        self.given.append(f"? {text}")
        return np.array([len(text), 0.0], np.float32)


@pytest.fixture
def inner() -> Counting:
    return Counting()


def test_only_new_texts_are_embedded_and_rows_keep_their_order(inner: Counting) -> None:
    embedder = Remembering(inner)
    assert embedder.embed(["a", "bbb", "a"]).tolist() == [[1, 1], [3, 1], [1, 1]]
    assert embedder.embed(["cc", "a"]).tolist() == [[2, 1], [1, 1]]
    assert inner.given == ["a", "bbb", "cc"]
    assert embedder.embed([]).shape == (0, 2)


def test_a_question_is_not_taken_for_a_text_of_the_same_words(inner: Counting) -> None:
    embedder = Remembering(inner)
    assert embedder.embed(["a"]).tolist() == [[1, 1]]
    assert [embedder.embed_query("a").tolist() for _ in range(2)] == [[1, 0], [1, 0]]
    assert inner.given == ["a", "? a"]


def test_what_was_not_used_for_longest_is_forgotten(inner: Counting) -> None:
    embedder = Remembering(inner, most=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        embedder.embed([text])
    assert inner.given == ["a", "b", "c", "b"]

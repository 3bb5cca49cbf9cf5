"""The table of word vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.capabilities.kb.embedders.light import Light

LIGHT = Light()


def test_related_words_are_nearer_than_unrelated_ones() -> None:
    near, far = LIGHT.embed(["The weather was sunny and warm", "The committee approved the budget"])
    query = LIGHT.embed_query("a bright hot day")
    assert query @ near > query @ far


def test_a_vector_depends_on_its_text_alone() -> None:
    texts = ["short", "a much longer text with many more words in it", "", "short"]
    assert np.array_equal(LIGHT.embed(texts), np.array([LIGHT.embed_query(text) for text in texts]))


@given(st.text(st.characters(), max_size=200))
@settings(max_examples=40, deadline=None)
def test_any_text_has_a_vector_of_length_one_or_none_at_all(text: str) -> None:
    vector = LIGHT.embed_query(text)
    assert vector.dtype == np.float32
    assert vector.shape == (LIGHT.dim,)
    assert float(np.linalg.norm(vector)) == pytest.approx(1 if vector.any() else 0, abs=1e-4)

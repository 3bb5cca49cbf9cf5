"""The installed model: near the exact one, the same for a text in any company, and unimpressed by odd text."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.models import minilm

from ambidex.capabilities.kb.embedders.files import ModelError
from ambidex.capabilities.kb.embedders.minilm import IDENTITY, MOST_CHARACTERS, MiniLM

HERE = Path(__file__).parent
SENTENCES = (HERE / "sentences.txt").read_text(encoding="utf-8").splitlines()
EXACT = HERE / "exact.npy"
"""The vectors of the sentences by `convert(weights, out, exact=True)`; the first three have the published cosines."""


def test_fifty_sentences_are_near_to_what_the_exact_model_makes_of_them() -> None:
    vectors, exact = minilm().embed(SENTENCES), np.load(EXACT).astype(np.float32)
    assert len(SENTENCES) == 50
    assert (vectors * exact).sum(axis=1).min() >= 0.98
    assert np.abs(vectors @ vectors.T - exact @ exact.T).max() < 0.06


def test_the_exact_vectors_have_the_cosines_that_were_published() -> None:
    first, second, third = np.load(EXACT)[:3].astype(np.float32)
    assert [first @ second, first @ third, second @ third] == pytest.approx([0.6660, 0.1046, 0.1411], abs=0.001)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("How do I reset my password?", "Steps for recovering a forgotten login", "How do I paint a wall?"),
        ("when do we get our travel money back", "Expenses are refunded within ten days", "Trains leave every hour"),
        ("ways to use less energy at home", "Insulate the roof and heat less", "We use his home as an office"),
    ],
)
def test_the_same_meaning_in_other_words_is_nearer_than_the_same_words(text: str, near: str, far: str) -> None:
    model = minilm()
    query = model.embed_query(text)
    close, distant = model.embed([near, far])
    assert query @ close > query @ distant
    assert query @ close > model.relevance


def test_a_vector_depends_on_its_text_alone() -> None:
    model = minilm()
    together = model.embed(SENTENCES)
    alone = np.array([model.embed_query(text) for text in SENTENCES])
    assert np.array_equal(together, alone)
    assert np.array_equal(model.embed(SENTENCES[::-1]), together[::-1])


def test_threads_share_one_model() -> None:
    installed = minilm()
    fresh = MiniLM(installed.folder.parent)
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(fresh.embed_query, SENTENCES))
    assert np.array_equal(np.array(vectors), installed.embed(SENTENCES))


@given(st.text(st.characters(), max_size=200))
@settings(max_examples=40, deadline=None)
def test_any_text_has_a_vector_of_length_one(text: str) -> None:
    vector = minilm().embed_query(text)
    assert vector.dtype == np.float32
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("text", ["", "   ", "???", "\ud800", "\x00", "a" * 5_000, "word " * 50_000])
def test_odd_texts_have_one_too(text: str) -> None:
    assert float(np.linalg.norm(minilm().embed_query(text))) == pytest.approx(1, abs=1e-4)


def test_what_follows_the_part_that_is_read_changes_nothing() -> None:
    model, read = minilm(), "word " * (MOST_CHARACTERS // 5)
    assert np.array_equal(model.embed_query(read), model.embed_query(read + "and something else entirely"))


def test_no_texts_have_no_vectors() -> None:
    assert minilm().embed([]).shape == (0, 384)


def test_nothing_is_loaded_before_the_first_text() -> None:
    program = """
import sys
from ambidex.capabilities.kb.embedders import choose_embedder
choose_embedder("minilm"), choose_embedder("light"), choose_embedder("auto")
print(*({"numpy", "onnxruntime", "tokenizers", "wordllama", "onnx"} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_a_model_that_is_not_there_says_how_to_get_it(tmp_path: Path) -> None:
    model = MiniLM(tmp_path)
    assert (model.installed(), model.identity) == (False, IDENTITY)
    with pytest.raises(ModelError, match=r"there is no model in .*; run `ambidex models install`"):
        model.embed(["text"])

"""A very long text: every word of it is searched, and only so many of its windows get a vector."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.capabilities.kb.sqlite.bases import WordHashes, base, put, record

from ambidex.capabilities.kb.background import Embedding
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.sqlite.engine import SqliteEngine
from ambidex.capabilities.kb.sqlite.keeping import MOST_VECTORS, evenly

STUDIO = Filters(("studio",))
TEXT = " ".join(
    f"Sentence number{number} tells of pebbles, and of nothing else that matters." for number in range(1_500)
)


@pytest.fixture
def kb(tmp_path: Path) -> SqliteEngine:
    return base(tmp_path, record("doc:long", TEXT), embedder=WordHashes())


def test_no_more_windows_get_a_vector_than_there_may_be(kb: SqliteEngine) -> None:
    stats = kb.stats()
    assert stats.passages > 3 * MOST_VECTORS
    assert (stats.embedded, stats.pending) == (MOST_VECTORS, 0)


@pytest.mark.parametrize("number", [0, 3, 700, 701, 702, 1_499])
def test_its_words_are_found_wherever_they_stand(kb: SqliteEngine, number: int) -> None:
    [hit] = kb.search(f"number{number}", STUDIO).hits
    assert f"number{number} " in hit.snippet
    assert hit.similarity is not None, "a neighbour's vector speaks where the passage has none"


def test_it_may_become_short_and_long_again_and_change_its_embedder(kb: SqliteEngine) -> None:
    put(kb, record("doc:long", TEXT[:500]))
    Embedding(kb, WordHashes()).run()
    assert kb.stats().embedded == kb.stats().passages == 2
    put(kb, record("doc:long", TEXT))
    Embedding(kb, WordHashes(identity="other@1")).run()
    assert (kb.stats().embedder, kb.stats().embedded, kb.stats().pending) == ("other@1", MOST_VECTORS, 0)
    with kb.writer() as writer:
        writer.reindex(lambda done, whole: None)
    assert (kb.stats().embedded, kb.stats().pending) == (MOST_VECTORS, 0)
    assert kb.search("number1499", STUDIO).hits


@given(st.integers(1, 2_000), st.integers(1, 100))
def test_windows_are_chosen_evenly_and_the_first_always(length: int, most: int) -> None:
    spans = [(number, number + 1) for number in range(length)]
    chosen = sorted(start for start, _ in evenly(spans, most))
    assert len(chosen) == min(length, most)
    assert chosen[0] == 0
    gaps = [after - before for before, after in zip(chosen, [*chosen[1:], length], strict=True)]
    assert max(gaps) - min(gaps) <= 1

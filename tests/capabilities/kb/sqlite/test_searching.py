"""A search while a part of the base still waits for its vectors."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.capabilities.kb.sqlite.bases import WordHashes, base, put, record

from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.record import Record
from ambidex.capabilities.kb.sqlite.engine import SqliteEngine

STUDIO = Filters(("studio",))
BEST = record("doc:kiln", "The kiln reaches 1260 degrees when it fires stoneware glazes.")


@pytest.fixture
def half(tmp_path: Path) -> SqliteEngine:
    """Eight records with a vector, and eight without; the best one is among the latter."""
    engine = base(tmp_path, *(_record(number) for number in range(8)), embedder=WordHashes())
    put(engine, *(_record(number) for number in range(8, 15)), BEST)
    assert (engine.stats().embedded, engine.stats().pending) == (8, 8)
    return engine


def test_the_record_with_most_words_of_the_question_comes_first_without_a_vector(half: SqliteEngine) -> None:
    found = half.search("how many degrees does the kiln reach for stoneware", STUDIO)
    assert (found.hits[0].record.id, found.hits[0].similarity) == ("doc:kiln", None)
    assert found.hits[1].similarity is not None


def test_what_answers_without_a_vector_is_not_told_as_nothing(half: SqliteEngine) -> None:
    found = half.search("stoneware glazes", STUDIO)
    assert found.hits[0].record.id == "doc:kiln"
    assert not found.nothing_relevant


def _record(number: int) -> Record:
    return record(f"doc:shelf-{number}", f"The kiln stands beside shelf number {number}, and does not reach the door.")

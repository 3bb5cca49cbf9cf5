"""A base of a few notes, as everyone's is on the first day: words count there too."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.capabilities.kb.sqlite.bases import WordHashes, base, record

from ambidex.capabilities.kb.filters import Filters

STUDIO = Filters(("studio",))
NOTES = (
    record("doc:roses", "Old roses are pruned in March, before the buds open."),
    record("doc:rates", "A day of work costs 900 euros. Charities pay half of it."),
    record("doc:kiln", "The kiln fires stoneware."),
)


@pytest.mark.parametrize("embedder", [None, WordHashes()])
@pytest.mark.parametrize("notes", [1, 2, 3])
def test_a_note_that_holds_every_word_of_the_question_scores_high(
    tmp_path: Path, notes: int, embedder: WordHashes | None
) -> None:
    found = base(tmp_path, *NOTES[:notes], embedder=embedder).search("when are roses pruned?", STUDIO)
    assert found.hits[0].record.id == "doc:roses"
    assert found.hits[0].score > 0.9
    assert not found.nothing_relevant


def test_of_two_notes_the_one_with_more_of_the_words_comes_first(tmp_path: Path) -> None:
    kb = base(
        tmp_path, record("doc:a", "The kiln is warm."), record("doc:b", "The kiln is warm in the stoneware room.")
    )
    scores = {hit.record.id: hit.score for hit in kb.search("kiln stoneware", STUDIO).hits}
    assert scores["doc:b"] > scores["doc:a"] > 0.1

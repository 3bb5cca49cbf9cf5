from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.capabilities.kb.sqlite.bases import WordHashes, base, record

from ambidex.capabilities.kb.engine import DuplicateId, WriterBusy
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.sqlite.engine import SqliteEngine

STUDIO = Filters(("studio",))


def ids(engine: SqliteEngine, query: str) -> set[str]:
    return {hit.record.id for hit in engine.search(query, STUDIO, top_k=50).hits}


def test_what_an_origin_no_longer_holds_is_gone(tmp_path: Path) -> None:
    kb = base(tmp_path)
    with kb.writer() as writer:
        writer.put([record("doc:a", "pebble"), record("doc:b", "pebble")], origin="f", digest="1")
        writer.put([record("doc:b", "granite")], origin="f", digest="2")
        assert writer.origins() == {"f": "2"}
    assert ids(kb, "pebble") == set()
    assert ids(kb, "granite") == {"doc:b"}


def test_an_id_of_another_origin_is_refused_and_nothing_of_that_put_stays(tmp_path: Path) -> None:
    kb = base(tmp_path)
    with kb.writer() as writer, writer.together():
        writer.put([record("doc:a", "pebble")], origin="one", digest="1")
        with pytest.raises(DuplicateId) as caught:
            writer.put([record("doc:b", "pebble"), record("doc:a", "granite")], origin="two", digest="1")
        assert (caught.value.id, caught.value.origin) == ("doc:a", "one")
        with pytest.raises(DuplicateId):
            writer.put([record("doc:c"), record("doc:c")], origin="three", digest="1")
    assert ids(kb, "pebble") == {"doc:a"}
    assert ids(kb, "granite") == set()


def test_a_put_that_fails_takes_no_words_of_another_with_it_however_few_may_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ambidex.capabilities.kb.sqlite.lexical_rows._ROOM", 0)
    kb = base(tmp_path, record("doc:a", "pebble"))
    with kb.writer() as writer, writer.together():
        writer.put([record("doc:b", "pebble")], origin="b", digest="1")
        with writer.together():
            writer.put([record("doc:c", "pebble")], origin="c", digest="1")
            with pytest.raises(DuplicateId):
                writer.put([record("doc:d", "granite"), record("doc:a")], origin="d", digest="1")
        writer.put([record("doc:a", "slate")], origin="doc:a", digest="2")
    assert ids(kb, "pebble") == {"doc:b", "doc:c"}
    assert ids(kb, "granite") == set()
    assert ids(kb, "slate") == {"doc:a"}


def test_forgetting_an_origin_takes_its_records_and_says_how_many(tmp_path: Path) -> None:
    kb = base(tmp_path, record("doc:a", "pebble"), record("doc:b", "pebble"), embedder=WordHashes())
    with kb.writer() as writer:
        assert writer.forget(["doc:a", "never heard of"]) == 1
        assert writer.origins() == {"doc:b": "1"}
    assert ids(kb, "pebble") == {"doc:b"}
    assert kb.stats().passages == 1


def test_the_same_words_keep_their_vector_when_the_rest_of_a_record_changes(tmp_path: Path) -> None:
    kb = base(tmp_path, record("doc:a", "pebble"), embedder=WordHashes())
    with kb.writer() as writer:
        writer.put([record("doc:a", "pebble", namespace="public", metadata={"n": 1})], origin="doc:a", digest="2")
        assert writer.unembedded(10) == []
    [hit] = kb.search("pebble", Filters(("public",))).hits
    assert hit.similarity is not None
    assert ids(kb, "pebble") == set()


def test_one_text_may_hold_the_same_passage_twice(tmp_path: Path) -> None:
    text = ("The same words again. " * 50 + "\n\n") * 3
    kb = base(tmp_path, record("doc:a", text), embedder=WordHashes())
    passages = kb.stats().passages
    with kb.writer() as writer:
        writer.put([record("doc:a", text, metadata={"n": 1})], origin="doc:a", digest="2")
        writer.put([record("doc:a", "Short.")], origin="doc:a", digest="3")
    assert passages > 1
    assert kb.stats().passages == 1


def test_an_error_inside_leaves_what_was_put_before_it(tmp_path: Path) -> None:
    kb = base(tmp_path)

    def fail_half_way() -> None:
        with kb.writer() as writer:
            writer.put([record("doc:a", "pebble")], origin="a", digest="1")
            with writer.together():
                writer.put([record("doc:b", "pebble")], origin="b", digest="1")
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert ids(kb, "pebble") == {"doc:a"}


def test_a_second_writer_is_told_who_writes(tmp_path: Path) -> None:
    kb = base(tmp_path)
    with kb.writer(), pytest.raises(WriterBusy) as caught, kb.writer():
        pass
    assert caught.value.pid == os.getpid()
    with kb.writer(wait_seconds=5):
        pass


def test_reindexing_changes_no_answer_and_keeps_vectors(tmp_path: Path) -> None:
    kb = base(tmp_path, *(record(f"doc:d{n}", f"pebble number {n}") for n in range(20)), embedder=WordHashes())
    before = kb.search("pebble 7", STUDIO).hits
    told: list[tuple[int, int]] = []
    with kb.writer() as writer:
        writer.reindex(lambda done, whole: told.append((done, whole)))
    assert kb.search("pebble 7", STUDIO).hits == before
    assert told[-1] == (20, 20)
    assert kb.stats().pending == 0


def test_a_file_full_of_dead_slots_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ambidex.capabilities.kb.sqlite.ordering.FEW_DEAD", 2)
    kb = base(tmp_path, *(record(f"doc:d{n}", f"pebble{n}") for n in range(8)), embedder=WordHashes())
    before = sorted(path.name for path in kb.folder.iterdir())
    with kb.writer() as writer:
        writer.forget([f"doc:d{n}" for n in range(5)])
    after = sorted(path.name for path in kb.folder.iterdir())
    assert len(after) == len(before)
    assert not set(before) & set(after)
    assert kb.search("pebble6", STUDIO).hits[0].record.id == "doc:d6"

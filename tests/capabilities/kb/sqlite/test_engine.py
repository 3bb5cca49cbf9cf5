from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.capabilities.kb.sqlite.bases import WHEN, WordHashes, base, put, record

from ambidex.capabilities.kb.background import Embedding
from ambidex.capabilities.kb.engine import KbError
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.sqlite import lexical, publishing
from ambidex.capabilities.kb.sqlite.engine import SqliteEngine, open_kb

STUDIO = Filters(("studio",))
LONG = "Nothing of note happens here. " * 80 + "The kiln reaches 1260 degrees. " + "Nothing again. " * 80


@pytest.fixture(scope="module", params=["words", "tantivy", "vectors"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SqliteEngine:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "tantivy":
            pytest.importorskip("tantivy")
            patch.setattr(publishing, "TANTIVY_FROM", 0)
        folder = tmp_path_factory.mktemp("kb")
        records = record("doc:kiln", LONG), record("person:ada", "Ada founded the studio."), record("doc:tea", "Tea.")
        return base(folder, *records, embedder=WordHashes() if request.param == "vectors" else None)


@given(query=st.text(max_size=80) | st.text(st.sampled_from("\"*():^-+{}[]' ANDORNEAR\0\ud800é"), max_size=40))
@settings(max_examples=100, deadline=None)
def test_any_text_is_a_valid_query(engine: SqliteEngine, query: str) -> None:
    found = engine.search(query, STUDIO)
    assert len({hit.record.id for hit in found.hits}) == len(found.hits)
    assert all(0 <= hit.score <= 1 for hit in found.hits)
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


def test_a_long_record_is_one_hit_with_the_passage_that_answers(engine: SqliteEngine) -> None:
    found = engine.search("kiln degrees", STUDIO)
    assert found.hits[0].record.id == "doc:kiln"
    assert [hit.record.id for hit in found.hits].count("doc:kiln") == 1
    assert "The kiln reaches 1260 degrees." in found.hits[0].snippet
    assert [found.hits[0].snippet[start:stop] for start, stop in found.hits[0].marks] == ["kiln", "degrees"]


@pytest.mark.parametrize("query", ["", "   ", "\0"])
def test_an_empty_query_finds_nothing(engine: SqliteEngine, query: str) -> None:
    assert engine.search(query, STUDIO).hits == ()


def test_a_question_that_shares_one_word_in_five_is_told_as_not_answered(tmp_path: Path) -> None:
    kb = base(
        tmp_path, record("doc:kiln", "The kiln reaches 1260 degrees."), record("doc:tea", "Tea is in the kitchen.")
    )
    assert kb.search("kiln degrees", STUDIO).nothing_relevant is False
    assert kb.search("degrees of freedom in robot arm kinematics", STUDIO).nothing_relevant is True


def test_an_unknown_id_is_near_to_ids_that_differ_by_a_slip(engine: SqliteEngine) -> None:
    assert engine.near("doc:klin", namespaces=("studio",)) == ["doc:kiln"]
    assert engine.near("person:kiln", namespaces=("studio",))[0] == "doc:kiln"
    assert engine.near("doc:klin", namespaces=("public",)) == []


def test_records_come_in_the_order_asked(engine: SqliteEngine) -> None:
    got = engine.get(["doc:tea", "doc:none", "doc:kiln"], namespaces=("studio",))
    assert [one.id for one in got] == ["doc:tea", "doc:kiln"]


def test_another_embedder_takes_over_when_its_vectors_are_complete(tmp_path: Path) -> None:
    old, new = WordHashes(identity="old@1"), WordHashes(dim=32, identity="new@1")
    records = [record(f"doc:d{n}", f"pebble{n}") for n in range(3)]
    base(tmp_path, *records, embedder=old).close()
    kb = open_kb(tmp_path / "kb.sqlite3", embedder=new, others=lambda identity: old if identity == "old@1" else None)
    with kb.writer() as writer:
        writer.use_embedder(new.identity, new.dim)
        [first, *_] = writer.unembedded(1)
        writer.embedded([(first.id, new.embed([first.text])[0])])
    stats = kb.stats()
    assert (stats.embedder, stats.wanted, stats.embedded, stats.pending) == ("old@1", "new@1", 1, 2)
    assert kb.search("pebble1", STUDIO).hits[0].similarity is not None, "the old vectors still serve"
    Embedding(kb, new).run()
    assert (kb.stats().embedder, kb.stats().pending) == ("new@1", 0)
    assert kb.search("pebble1", STUDIO).hits[0].record.id == "doc:d1"


def test_without_an_embedder_a_base_with_vectors_is_searched_by_words(tmp_path: Path) -> None:
    base(tmp_path, record("doc:a", "pebble"), embedder=WordHashes()).close()
    kb = open_kb(tmp_path / "kb.sqlite3")
    [hit] = kb.search("pebble", STUDIO).hits
    assert hit.similarity is None


@pytest.mark.parametrize("damage", ["gone", "cut", "older"])
def test_a_vector_file_that_is_gone_cut_or_of_an_older_version_is_made_anew(tmp_path: Path, damage: str) -> None:
    embedder = WordHashes()
    kb = base(tmp_path, *(record(f"doc:d{n}", f"pebble{n}") for n in range(5)), embedder=embedder)
    kb.close()
    for path in kb.folder.glob("vectors-*"):
        if damage == "cut":
            path.write_bytes(path.read_bytes()[:10])
        elif damage == "older":
            path.rename(path.with_name(path.name.replace("vectors-2-", "vectors-1-")))
        else:
            path.unlink()
    again = open_kb(tmp_path / "kb.sqlite3", embedder=embedder)
    assert again.stats().damaged == ()
    assert again.stats().pending == 0, "the vectors themselves are in the database"
    assert again.search("pebble3", STUDIO).hits[0].similarity is not None


def test_passages_of_an_older_version_are_cut_anew(tmp_path: Path) -> None:
    base(tmp_path, record("doc:a", "pebble")).close()
    with sqlite3.connect(tmp_path / "kb.sqlite3") as link:
        link.execute("UPDATE state SET value = 0 WHERE key = 'derived'")
        link.execute("DROP TABLE lexical")
    again = open_kb(tmp_path / "kb.sqlite3")
    assert [hit.record.id for hit in again.search("pebble", STUDIO).hits] == ["doc:a"]


def test_a_tantivy_index_that_is_gone_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tantivy")
    monkeypatch.setattr(publishing, "TANTIVY_FROM", 0)
    kb = base(tmp_path, record("doc:a", "pebble"))
    for path in publishing.tantivy_folder(kb.folder).iterdir():
        path.unlink()
    again = open_kb(tmp_path / "kb.sqlite3")
    assert again.stats().lexical == "tantivy"
    assert [hit.record.id for hit in again.search("pebble", STUDIO).hits] == ["doc:a"]


def test_while_tantivy_is_behind_fts5_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tantivy")
    monkeypatch.setattr(publishing, "TANTIVY_FROM", 0)
    kb = base(tmp_path, record("doc:a", "pebble"))
    with kb.writer() as writer:
        writer.put([record("doc:b", "pebble")], origin="b", digest="1")
        assert kb.stats().lexical == "fts5"
        assert {hit.record.id for hit in kb.search("pebble", STUDIO).hits} == {"doc:a", "doc:b"}
    assert kb.stats().lexical == "tantivy"


def test_in_a_large_base_without_tantivy_common_words_count_only_where_rarer_ones_find_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical, "_FEW_PASSAGES", 0)
    monkeypatch.setattr(lexical, "_MANY_PASSAGES", 0)
    monkeypatch.setattr(lexical, "_COMMON", 0.5)
    spaces = ("studio", "studio", "public")
    kb = base(tmp_path, *(record(f"doc:d{n}", "pebble", namespace=space) for n, space in enumerate(spaces)))
    put(kb, record("doc:rare", "pebble granite"))
    assert [hit.record.id for hit in kb.search("pebble granite", STUDIO).hits] == ["doc:rare"]
    assert {hit.record.id for hit in kb.search("pebble", STUDIO).hits} == {"doc:d0", "doc:d1", "doc:rare"}
    assert [hit.record.id for hit in kb.search("pebble granite", Filters(("public",))).hits] == ["doc:d2"]


def test_a_file_of_a_later_format_or_of_another_program_is_refused(tmp_path: Path) -> None:
    base(tmp_path).close()
    with sqlite3.connect(tmp_path / "kb.sqlite3") as link:
        link.execute("PRAGMA user_version = 99")
    with pytest.raises(KbError, match="format 99"):
        open_kb(tmp_path / "kb.sqlite3")
    with sqlite3.connect(tmp_path / "other.sqlite3") as link:
        link.execute("CREATE TABLE mine (x)")
    with pytest.raises(KbError, match="another program"):
        open_kb(tmp_path / "other.sqlite3")


def test_a_change_shows_in_an_engine_that_was_open_before(tmp_path: Path) -> None:
    embedder = WordHashes()
    reader = base(tmp_path, record("doc:a", "pebble"), embedder=embedder)
    assert len(reader.search("pebble", STUDIO).hits) == 1
    writer = open_kb(tmp_path / "kb.sqlite3", embedder=embedder)
    put(writer, record("doc:a", "granite", namespace="public"), record("doc:b", "pebble", last_updated=WHEN))
    Embedding(writer, embedder).run()
    assert [hit.record.id for hit in reader.search("pebble", STUDIO).hits] == ["doc:b"]
    assert [hit.record.id for hit in reader.search("granite", Filters(("public",))).hits] == ["doc:a"]

"""Imports into a real base: what goes in, what stays, what leaves, and what is told."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ambidex.capabilities.kb.engine import Engine
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.importing.importer import Importer
from ambidex.capabilities.kb.importing.incoming import BATCH
from ambidex.capabilities.kb.importing.told import Summary
from ambidex.capabilities.kb.record import Record
from ambidex.capabilities.kb.sqlite.engine import open_kb

ALL = ("studio", "public")
Import = Callable[..., Summary]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_kb(tmp_path / ".ambidex" / "kb.sqlite3")
    yield engine
    engine.close()


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Apples\n\nThey are red.\n")
    (folder / "b.md").write_text("---\nid: person:bo\ntitle: Bo\nnamespace: public\n---\nPaints boats.\n")
    (folder / "links.jsonl").write_text(
        '{"id": "link:x", "title": "X", "url": "https://x.example"}\n{"id": "link:y", "title": "Y"}\n'
    )
    return folder


@pytest.fixture
def bring(engine: Engine, tmp_path: Path) -> Import:
    def bring(*given: str, prune: bool = False, namespace: str = "studio") -> Summary:
        with engine.writer() as writer:
            return Importer(writer, tmp_path / ".ambidex", namespace=namespace).run(given or ["notes"], prune=prune)

    return bring


def one(engine: Engine, id: str) -> Record | None:
    return next(iter(engine.get([id], namespaces=ALL)), None)


def counts(summary: Summary) -> tuple[int, int, int, int, int]:
    """Added, changed, unchanged, removed, refused."""
    return summary.added, summary.changed, summary.unchanged, summary.removed, len(summary.refused)


@pytest.mark.usefixtures("notes")
def test_a_folder_goes_in_and_is_found_at_once(engine: Engine, bring: Import) -> None:
    assert counts(bring()) == (4, 0, 0, 0, 0)
    [hit] = engine.search("red apples", Filters(ALL)).hits
    assert hit.record.id == "doc:a"
    bo = one(engine, "person:bo")
    assert bo is not None
    assert (bo.namespace, bo.text) == ("public", "Paints boats.")


def test_what_is_unchanged_is_not_touched_even_when_its_date_is_another(
    notes: Path, engine: Engine, bring: Import
) -> None:
    bring()
    before = one(engine, "doc:a")
    os.utime(notes / "a.md", (1, 1))
    assert counts(bring()) == (0, 0, 4, 0, 0)
    assert one(engine, "doc:a") == before


def test_only_what_changed_is_written(notes: Path, engine: Engine, bring: Import) -> None:
    bring()
    (notes / "a.md").write_text("# Apples\n\nThey are green.\n")
    rows = (notes / "links.jsonl").read_text()
    (notes / "links.jsonl").write_text('{"id": "link:new", "title": "New"}\n' + rows.replace('"Y"', '"Why"'))
    assert counts(bring()) == (1, 2, 2, 0, 0)
    assert [record.title for record in engine.get(["link:y", "link:new"], namespaces=ALL)] == ["Why", "New"]


def test_a_file_that_says_another_id_has_another_record(notes: Path, engine: Engine, bring: Import) -> None:
    bring()
    (notes / "b.md").write_text("---\nid: person:bob\ntitle: Bob\n---\nx\n")
    assert counts(bring()) == (0, 1, 3, 0, 0)
    assert one(engine, "person:bo") is None
    assert one(engine, "person:bob") is not None


@pytest.mark.usefixtures("notes")
def test_another_namespace_is_a_change(engine: Engine, bring: Import) -> None:
    bring()
    assert bring(namespace="public").changed == 4
    a = one(engine, "doc:a")
    assert a is not None
    assert a.namespace == "public"


def test_what_vanished_stays_until_it_is_pruned(notes: Path, engine: Engine, bring: Import) -> None:
    bring()
    (notes / "a.md").unlink()
    (notes / "links.jsonl").write_text('{"id": "link:y", "title": "Y"}\n')
    assert bring().vanished == 2
    assert one(engine, "doc:a") is not None
    assert counts(bring(prune=True)) == (0, 0, 2, 2, 0)
    assert one(engine, "doc:a") is None
    assert one(engine, "link:x") is None


def test_pruning_stays_below_the_given_paths(notes: Path, engine: Engine, bring: Import) -> None:
    other = notes.parent / "notes-old"
    other.mkdir()
    (other / "c.md").write_text("# C")
    bring("notes", "notes-old")
    (other / "c.md").unlink()
    (notes / "a.md").unlink()
    assert counts(bring("notes/b.md", "notes/links.jsonl", prune=True))[3] == 0
    assert counts(bring("notes", prune=True))[3] == 1
    assert one(engine, "doc:c") is not None


def test_what_cannot_be_seen_has_not_vanished(notes: Path, engine: Engine, bring: Import) -> None:
    bring()
    (notes / "b.md").write_text("---\nbroken: [\n---\n")
    (notes / "links.jsonl").write_text('{"id": "link:y", "title": "Y"}\nnonsense\n')
    assert counts(bring(prune=True)) == (0, 0, 2, 0, 2)
    assert one(engine, "person:bo") is not None
    assert one(engine, "link:x") is not None
    notes.rename(notes.parent / "elsewhere")
    assert counts(bring(prune=True)) == (0, 0, 0, 0, 1)
    assert engine.stats().records == 4


def test_a_file_that_was_renamed_takes_its_record_along(notes: Path, engine: Engine, bring: Import) -> None:
    bring()
    (notes / "b.md").rename(notes / "bo.md")
    (notes / "links.jsonl").rename(notes / "addresses.jsonl")
    summary = bring(prune=True)
    assert summary.refused == []
    assert engine.stats().records == 4
    assert bring().unchanged == 4


def test_two_files_may_swap_their_ids(notes: Path, engine: Engine, bring: Import) -> None:
    for name, id in (("one", "doc:1"), ("two", "doc:2")):
        (notes / f"{name}.md").write_text(f"---\nid: {id}\ntitle: {name}\n---\n")
    bring()
    for name, id in (("one", "doc:2"), ("two", "doc:1")):
        (notes / f"{name}.md").write_text(f"---\nid: {id}\ntitle: {name}\n---\n")
    assert bring().refused == []
    assert [record.title for record in engine.get(["doc:1", "doc:2"], namespaces=ALL)] == ["two", "one"]


def test_of_two_files_that_claim_the_id_of_a_third_one_gets_it(notes: Path, engine: Engine, bring: Import) -> None:
    bring()
    (notes / "b.md").unlink()
    for name in ("c.md", "d.md"):
        (notes / name).write_text(f"---\nid: person:bo\ntitle: {name}\n---\n")
    [refusal] = bring().refused
    assert (refusal.path, refusal.line) == ("notes/d.md", 1)
    bo = one(engine, "person:bo")
    assert bo is not None
    assert bo.title == "c.md"


def test_a_project_can_be_moved_with_its_base(notes: Path, bring: Import, engine: Engine) -> None:
    bring()
    engine.close()
    home = notes.parent / "moved"
    home.mkdir()
    (notes.parent / ".ambidex").rename(home / ".ambidex")
    notes.rename(home / "notes")
    moved = open_kb(home / ".ambidex" / "kb.sqlite3")
    with moved.writer() as writer:
        assert Importer(writer, home / ".ambidex").run([str(home / "notes")]).unchanged == 4
    moved.close()


def test_an_id_that_is_there_twice_is_told_with_both_places(notes: Path, engine: Engine, bring: Import) -> None:
    (notes / "c.md").write_text("---\nid: person:bo\ntitle: Impostor\n---\n")
    (notes / "links.jsonl").write_text('{"id": "link:x", "title": "X"}\n{"id": "link:x", "title": "Z"}\n')
    for _ in range(2):
        told = [str(refusal) for refusal in bring().refused]
        assert told == [
            "notes/links.jsonl:2 has the id link:x of line 1; give one of them another id",
            "notes/c.md:1 has the id person:bo, which notes/b.md has already; give one of them another id",
        ]
        bo = one(engine, "person:bo")
        assert bo is not None
        assert bo.title == "Bo"


def test_every_bad_input_is_named_and_the_rest_goes_in(notes: Path, engine: Engine, bring: Import) -> None:
    (notes / "broken.md").write_text("---\ntitle: A: B\n---\nx")
    (notes / "types.md").write_text("---\ntitle: A\ntags: 7\n---\nx")
    (notes / "long.md").write_text("x" * (10 << 20))
    (notes / "binary.md").write_bytes(b"\x89PNG\r\n\0\0")
    (notes / "wide.md").write_bytes("text".encode("utf-16"))
    (notes / "latin.md").write_bytes(b"ok\ncaf\xe9\n")
    (notes / "field.jsonl").write_text('{"id": "doc:f", "title": "F", "text": "' + "x" * (2 << 20) + '"}\n')
    (notes / "rows.csv").write_text("id,title,url\ndoc:r,R,ftp://x\ndoc:s,S,\n")
    os.mkfifo(notes / "pipe.md")
    summary = bring()
    told = {(refusal.path.removeprefix("notes/"), refusal.line): refusal.why for refusal in summary.refused}
    expected = {
        ("broken.md", 2): "not YAML",
        ("types.md", 3): "tags: must be a list",
        ("long.md", None): "10,485,760 bytes",
        ("binary.md", None): "binary",
        ("wide.md", None): "UTF-16",
        ("latin.md", 2): "not UTF-8",
        ("field.jsonl", 1): "text: is 2,097,152",
        ("rows.csv", 2): "url: ",
        ("pipe.md", None): "FIFO",
    }
    assert told.keys() == expected.keys()
    assert all(words in told[place] for place, words in expected.items())
    assert summary.added == 5
    assert one(engine, "doc:s") is not None


def test_more_than_a_batch_goes_in_whole(notes: Path, engine: Engine, bring: Import) -> None:
    rows = [f'{{"id": "doc:n{number}", "title": "Number {number}"}}\n' for number in range(BATCH * 2 + 7)]
    (notes / "many.jsonl").write_text("".join(rows))
    assert bring().added == BATCH * 2 + 11
    assert engine.stats().records == BATCH * 2 + 11


def test_progress_tells_where_it_is(notes: Path, engine: Engine, tmp_path: Path) -> None:
    (notes / "many.jsonl").write_text("".join(f'{{"id": "doc:n{n}", "title": "N"}}\n' for n in range(250)))
    told: list[tuple[int, int, str]] = []
    with engine.writer() as writer:
        Importer(writer, tmp_path, progress=lambda *where: told.append(where)).run(["notes"])
    assert told[0] == (0, 4, "notes/a.md")
    assert (3, 4, "notes/many.jsonl:200") in told
    assert told[-1] == (4, 4, "")

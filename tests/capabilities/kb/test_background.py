"""Embedding in the background of a real base: beside an importer, after a stop, with another embedder, with none."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.waiting import until

from ambidex.capabilities.kb import background
from ambidex.capabilities.kb.background import Embedding
from ambidex.capabilities.kb.embedders.files import ModelError
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.record import parse_record
from ambidex.capabilities.kb.sqlite.engine import SqliteEngine, open_kb

Rows = np.ndarray[Any, np.dtype[np.float32]]


class Hashes:
    """An embedder of the simplest kind: the same text has the same vector. It says what it was asked."""

    relevance = 0.5

    def __init__(self, identity: str = "hashes@1", dim: int = 8, before: Callable[[], None] = lambda: None) -> None:
        self.identity, self.dim = identity, dim
        self.asked: list[str] = []
        self._before = before

    def embed(self, texts: Sequence[str]) -> Rows:
        self._before()
        self.asked += texts
        return np.array([self.embed_query(text) for text in texts], np.float32)

    def embed_query(self, text: str) -> Rows:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
        row: Rows = np.random.default_rng(seed).standard_normal(self.dim).astype(np.float32)
        row /= np.linalg.norm(row)
        return row


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[SqliteEngine]:
    base = open_kb(tmp_path / "kb.sqlite3")
    yield base
    base.close()


def put(engine: SqliteEngine, numbers: range, *, text: str = "text {}") -> None:
    with engine.writer(wait_seconds=5) as writer:
        for number in numbers:
            raw = {"id": f"doc:n{number}", "type": "doc", "title": "Title", "text": text.format(number)}
            record = parse_record(raw, default_updated="2031-01-01T00:00:00Z")
            writer.put([record], origin=f"n{number}", digest=str(number))


def test_every_passage_gets_a_vector_and_the_progress_ends_at_the_total(engine: SqliteEngine) -> None:
    put(engine, range(50))
    told: list[tuple[int, int]] = []
    assert Embedding(engine, Hashes()).run(lambda done, total: told.append((done, total))) == 50
    stats = engine.stats()
    assert (stats.embedded, stats.pending, stats.embedder, stats.wanted) == (50, 0, "hashes@1", "hashes@1")
    assert told == sorted(told)
    assert told[0] == (background.FIRST_BATCH, 50)
    assert told[-1] == (50, 50)


def test_what_has_a_vector_is_not_embedded_again(engine: SqliteEngine) -> None:
    put(engine, range(3))
    Embedding(engine, Hashes()).run()
    put(engine, range(3, 5))
    again = Hashes()
    assert Embedding(engine, again).run() == 2
    assert sorted(again.asked) == ["Title", "Title\ntext 3", "Title\ntext 4"], "the heading, and what is new"


def test_the_same_text_is_embedded_once_in_a_batch(engine: SqliteEngine) -> None:
    put(engine, range(10), text="all the same")
    assert Embedding(engine, hashes := Hashes()).run() == 10
    assert hashes.asked == ["Title\nall the same", "Title"]


def test_a_complete_base_is_left_alone(engine: SqliteEngine) -> None:
    put(engine, range(3))
    Embedding(engine, Hashes()).run()
    with engine.writer():  # nobody else could write now
        assert Embedding(engine, Hashes()).run() == 0


def test_an_importer_goes_on_while_vectors_are_made(engine: SqliteEngine) -> None:
    put(engine, range(40))
    coming = [range(40, 45)]

    def import_more() -> None:
        if coming:
            put(engine, coming.pop())

    assert Embedding(engine, Hashes(before=import_more)).run() == 45
    assert engine.stats().pending == 0


def test_a_record_that_vanished_meanwhile_leaves_nothing_behind(engine: SqliteEngine) -> None:
    put(engine, range(5))

    def forget() -> None:
        with engine.writer() as writer:
            writer.forget(["n0", "n1"])

    Embedding(engine, Hashes(before=forget)).run()
    stats = engine.stats()
    assert (stats.passages, stats.embedded, stats.pending) == (3, 3, 0)


def test_after_a_stop_the_next_run_goes_on_from_there(engine: SqliteEngine) -> None:
    put(engine, range(60))
    first = Embedding(engine, hashes := Hashes(before=lambda: first.stop()))
    assert first.run() == background.FIRST_BATCH
    assert engine.stats().pending == 60 - background.FIRST_BATCH
    rest = Hashes()
    assert Embedding(engine, rest).run() == 60 - background.FIRST_BATCH
    assert set(hashes.asked) & set(rest.asked) == {"Title"}, "only the heading, which each batch needs"


def test_another_embedder_replaces_all_vectors_and_the_old_ones_serve_until_then(engine: SqliteEngine) -> None:
    put(engine, range(40))
    Embedding(engine, Hashes()).run()
    serving: list[str | None] = []
    other = Hashes("others@1", dim=16, before=lambda: serving.append(engine.stats().embedder))
    assert Embedding(engine, other).run() == 40
    assert set(serving) == {"hashes@1"}
    assert engine.stats().embedder == "others@1"


def test_vectors_are_never_kept_as_those_of_an_embedder_that_another_process_asked_for(engine: SqliteEngine) -> None:
    put(engine, range(20))

    def ask_for_another() -> None:
        with engine.writer() as writer:
            writer.use_embedder("others@1", 16)

    Embedding(engine, Hashes(before=ask_for_another)).run()
    stats = engine.stats()
    assert (stats.embedder, stats.wanted, stats.pending) == ("hashes@1", "hashes@1", 0)


async def test_a_thread_waits_for_an_importer_and_then_does_it(engine: SqliteEngine) -> None:
    put(engine, range(5))
    embedding = Embedding(engine, Hashes())
    with engine.writer():
        embedding.start()
        assert engine.stats().embedded == 0
    await until(lambda: engine.stats().embedded == 5)
    embedding.stop()


def test_a_thread_that_waits_for_an_importer_can_be_stopped(engine: SqliteEngine) -> None:
    put(engine, range(5))
    embedding = Embedding(engine, hashes := Hashes())
    with engine.writer():
        embedding.start()
        embedding.stop()
    assert hashes.asked == []


async def test_a_thread_looks_again_for_what_came_later(engine: SqliteEngine) -> None:
    embedding = Embedding(engine, Hashes())
    embedding.start(look_again_seconds=0.01)
    put(engine, range(5))
    await until(lambda: engine.stats().embedded == 5)
    put(engine, range(5, 8))
    await until(lambda: engine.stats().embedded == 8)
    embedding.stop()


@pytest.mark.parametrize("error", [ModelError("run `ambidex models install`"), RuntimeError("out of memory")])
async def test_an_embedder_that_fails_is_logged_and_words_still_find(
    engine: SqliteEngine, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    def fail() -> None:
        raise error

    put(engine, range(3))
    embedding = Embedding(engine, Hashes(before=fail))
    with caplog.at_level(logging.WARNING, logger=background.__name__):
        embedding.start()
        await until(lambda: bool(caplog.records))
    embedding.stop()
    assert str(error) in caplog.text
    assert ("Traceback" in caplog.text) == isinstance(error, RuntimeError)
    found = engine.search("text", Filters(namespaces=("studio",)))
    assert len(found.hits) == 3


def test_it_cannot_be_started_twice(engine: SqliteEngine) -> None:
    embedding = Embedding(engine, Hashes())
    embedding.start()
    with pytest.raises(RuntimeError, match="started already"):
        embedding.start()
    embedding.stop()

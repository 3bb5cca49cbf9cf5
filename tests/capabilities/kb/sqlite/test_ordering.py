"""The vector file in order: by namespace, then by type, and every slot still its passage's."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.capabilities.kb.sqlite.bases import WordHashes, base, put, record

from ambidex.capabilities.kb.background import Embedding
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.record import TYPES, Record
from ambidex.capabilities.kb.sqlite import ordering, placing
from ambidex.capabilities.kb.sqlite.engine import SqliteEngine
from ambidex.capabilities.kb.sqlite.scan import nearest
from ambidex.capabilities.kb.sqlite.schema import connect
from ambidex.capabilities.kb.sqlite.state import State, read_state
from ambidex.capabilities.kb.sqlite.vector_file import Extent, Fact, Slots, VectorFile, tag_number

SPACES = ("studio", "personal", "public")


@pytest.fixture(autouse=True)
def soon_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "FEW_TRAILING", 0)


def some_record(dice: random.Random, number: int) -> Record:
    words = f"pebble{number} {dice.choice(('granite', 'slate', 'marble'))}"
    tags = [tag for tag in ("red", "blue") if dice.random() < 0.5]
    return record(f"{dice.choice(TYPES)}:r{number}", words, namespace=dice.choice(SPACES), tags=tags)


def looked_at(kb: SqliteEngine) -> tuple[State, Slots, dict[int, int]]:
    """The state, the slots that count, and which one is whose passage's."""
    link = connect(kb.path)
    state = read_state(link)
    file = placing.vector_file(link, kb.folder, state)
    assert file is not None
    places = link.execute("SELECT slot, id FROM passages WHERE slot IS NOT NULL").fetchall()
    link.close()
    return state, file.map(placing.extent(state)), dict(places)


@pytest.mark.parametrize("seed", range(5))
def test_what_was_published_lies_by_namespace_and_type(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    kb = base(tmp_path, *(some_record(dice, number) for number in range(90)), embedder=WordHashes())
    with kb.writer() as writer:
        writer.forget([origin for origin in writer.origins() if dice.random() < 0.4])
    put(kb, *(some_record(dice, number) for number in range(90, 150)))
    Embedding(kb, WordHashes()).run()
    state, slots, places = looked_at(kb)
    keys = list(zip(slots.namespace.tolist(), slots.type.tolist(), strict=True))[: state.ordered]
    assert keys == sorted(keys)
    assert state.slots - state.ordered <= state.slots // 8
    assert all(slots.passage[slot] == passage for slot, passage in places.items())
    assert len(places) == kb.stats().passages


def test_order_changes_no_answer_and_takes_tags_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(3)
    monkeypatch.setattr(ordering, "FEW_TRAILING", 1_000)
    kb = base(tmp_path, *(some_record(dice, number) for number in range(60)), embedder=WordHashes())
    asked = [Filters((space,), tags=tags) for space in SPACES for tags in ((), ("red",), ("red", "blue"))]
    before = [kb.search("granite pebble7", filters, top_k=50).hits for filters in asked]
    assert looked_at(kb)[0].ordered == 0
    monkeypatch.setattr(ordering, "FEW_TRAILING", 0)
    with kb.writer():
        pass
    state, slots, _ = looked_at(kb)
    assert state.ordered == state.slots == 60
    assert [kb.search("granite pebble7", filters, top_k=50).hits for filters in asked] == before
    red = {int(slots.record[slot]) for slot in slots.tagged[slots.tag == tag_number("red")]}
    link = connect(kb.path)
    assert red == {row for (row,) in link.execute("SELECT row FROM tags WHERE tag = 'red'")}
    link.close()


def test_while_vectors_are_made_the_file_is_put_in_order_when_it_has_doubled(tmp_path: Path) -> None:
    dice = random.Random(4)
    kb = base(tmp_path, *(some_record(dice, number) for number in range(40)))
    embedder, generations = WordHashes(), set[int]()
    for _ in range(40):
        with kb.writer() as writer:
            writer.use_embedder(embedder.identity, embedder.dim)
            [passage] = writer.unembedded(1)
            writer.embedded([(passage.id, embedder.embed_query(passage.text))])
        generations.add(looked_at(kb)[0].generation)
    assert len(generations) <= 8, "1, 2, 4, 8, 16, 32, and once at the end"
    assert looked_at(kb)[0].ordered == 40


@given(kept=st.lists(st.booleans(), min_size=1, max_size=700), runs=st.integers(1, 400))
@settings(max_examples=60, deadline=None)
def test_runs_and_gaps_are_scanned_alike(kept: list[bool], runs: int, lying: Slots) -> None:
    among = np.flatnonzero(np.repeat(kept, runs)[: len(lying.rows)])
    if not len(among):
        return
    query = np.linspace(-1, 1, 16, dtype=np.float32)
    exact = (lying.rows[among].astype(np.float32) @ query) * lying.scale[among]
    found = nearest(lying, among, query, records=10)
    assert found.tolist() == among[np.argsort(-exact, kind="stable")[:10]].tolist()


@pytest.fixture(scope="module")
def lying(tmp_path_factory: pytest.TempPathFactory) -> Slots:
    vectors = np.random.default_rng(9).standard_normal((3_000, 16)).astype(np.float32)
    file = VectorFile(tmp_path_factory.mktemp("slots"), 1, 16)
    return file.map(file.write(Extent(0, 0), vectors, [Fact(n, n, 0, 1, 1) for n in range(3_000)]))

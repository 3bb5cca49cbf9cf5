"""Whatever the filter: what a search may find is what a look at every record would leave, on every way to find it."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.capabilities.kb.sqlite.bases import WordHashes, base, put, record

from ambidex.capabilities.kb.background import Embedding
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.record import TYPES, Record, micros
from ambidex.capabilities.kb.sqlite import ordering, publishing
from ambidex.capabilities.kb.sqlite.engine import SqliteEngine

SPACES, TAGS = ("studio", "personal", "public", "other"), ("red", "Green", "blue", "deep blue")
TIMES = [f"2026-0{month}-01T00:00:00{part}Z" for month in range(1, 6) for part in ("", ".5")]
MANY = 90
"""Fewer than a ranking brings, so that a search can bring all of them."""

filters = st.builds(
    Filters,
    namespaces=st.lists(st.sampled_from([*SPACES, "nowhere"]), unique=True).map(tuple),
    type=st.none() | st.sampled_from([*TYPES, "robot"]),
    tags=st.lists(st.sampled_from([*TAGS, "GREEN", " deep  blue", "none", "\ud800"]), max_size=3).map(tuple),
    start=st.none() | st.sampled_from([*TIMES, "2026-03-01T02:00:00+02:00"]),
    end=st.none() | st.sampled_from(TIMES),
)


def passes(one: Record, asked: Filters) -> bool:
    """The definition, as slowly as it can be said."""
    held = {" ".join(tag.split()).casefold() for tag in one.tags}
    updated = micros(one.last_updated, "last_updated")
    return (
        one.namespace in asked.namespaces
        and asked.type in (None, one.type)
        and {" ".join(tag.split()).casefold() for tag in asked.tags} <= held
        and (asked.start is None or micros(asked.start, "start") <= updated)
        and (asked.end is None or updated <= micros(asked.end, "end"))
    )


def some_record(dice: random.Random, number: int) -> Record:
    return record(
        f"{TYPES[number % len(TYPES)]}:r{number}",
        "pebble",
        namespace=dice.choice(SPACES),
        tags=dice.sample(TAGS, dice.randrange(3)),
        last_updated=dice.choice(TIMES),
    )


@pytest.fixture(scope="module", params=["fts5", "tantivy", "vectors", "vectors in order"])
def searched(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[SqliteEngine, list[Record], str]]:
    """Random records, half of them changed after they were embedded and some gone: old slots and rows must not show."""
    dice = random.Random(request.param)
    by_meaning = request.param.startswith("vectors")
    query = "granite" if by_meaning else "pebble"
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "tantivy":
            pytest.importorskip("tantivy")
            patch.setattr(publishing, "TANTIVY_FROM", 0)
        if request.param == "vectors in order":
            patch.setattr(ordering, "FEW_TRAILING", 0)
        embedder = WordHashes() if by_meaning else None
        folder = tmp_path_factory.mktemp("kb")
        engine = base(folder, *(some_record(dice, number) for number in range(MANY)), embedder=embedder)
        kept = [some_record(dice, number) for number in range(MANY // 2)]
        put(engine, *kept)
        if embedder is not None:
            Embedding(engine, embedder).run()
        with engine.writer() as writer:
            writer.forget([one for one in writer.origins() if int(one.partition(":r")[2]) % 7 == 0])
        ids = [f"{TYPES[number % len(TYPES)]}:r{number}" for number in range(MANY)]
        records = engine.get(ids, namespaces=SPACES)
        assert len(records) == MANY - (MANY + 6) // 7
        assert engine.stats().lexical == ("tantivy" if request.param == "tantivy" else "fts5")
        yield engine, records, query
        engine.close()


@given(asked=filters)
@settings(max_examples=100, deadline=None)
def test_a_search_finds_what_the_filter_leaves_and_nothing_else(
    searched: tuple[SqliteEngine, list[Record], str], asked: Filters
) -> None:
    engine, records, query = searched
    found = engine.search(query, asked, top_k=MANY)
    assert sorted(hit.record.id for hit in found.hits) == sorted(one.id for one in records if passes(one, asked))
    assert all(hit.record in records for hit in found.hits)


@given(asked=filters)
@settings(max_examples=30, deadline=None)
def test_get_sees_no_other_namespace(searched: tuple[SqliteEngine, list[Record], str], asked: Filters) -> None:
    engine, records, _ = searched
    ids = [one.id for one in records]
    assert engine.get(ids, namespaces=asked.namespaces) == [one for one in records if one.namespace in asked.namespaces]
    assert engine.near("person:r1x", namespaces=()) == []

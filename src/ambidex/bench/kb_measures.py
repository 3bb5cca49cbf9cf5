"""What is measured of one size: import, opening, searching with and without filters, memory; and plain FTS5."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ambidex.bench.kb_clock import NONE, quantiles, rates, spent
from ambidex.bench.kb_fresh import fresh
from ambidex.bench.kb_plain import Plain
from ambidex.bench.kb_records import NAMESPACES, embedder_for, made_up, question, some_filters
from ambidex.capabilities.kb.embedders import Embedder
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.record import Record
from ambidex.capabilities.kb.sqlite.engine import SqliteEngine, open_kb
from ambidex.capabilities.kb.sqlite.writer import SqliteWriter

Row = dict[str, Any]
Tell = Callable[[str], None]
_BATCH = 2_000
_WARM = 20
_PLAIN_QUERIES = 50
"""Enough for its quantiles; at a million records each takes a second."""


def measure(folder: Path, size: int, queries: int, tell: Tell) -> Row:
    path, embedder, plain = folder / "kb.sqlite3", embedder_for(size), Plain(folder / "plain.sqlite3")
    engine = open_kb(path, embedder=embedder)
    row: Row = {"records": size, "vectors": embedder.identity, "queries": queries}
    tell("import")
    row |= _import(engine, plain, size)
    tell("vectors")
    row |= rates("vectors", size, spent(lambda: _embed(engine, embedder)))
    row["diskBytes"], row["lexical"] = engine.stats().disk_bytes, engine.stats().lexical
    tell("opening in a fresh process")
    row |= fresh(path, size)
    tell("queries")
    row |= _queries(engine, queries)
    engine.close()
    tell("plain FTS5")
    row |= quantiles("plain", plain.search([asked for asked, _ in _asked(queries)][:_PLAIN_QUERIES]))
    plain.close()
    return row


def _import(engine: SqliteEngine, plain: Plain, size: int) -> Row:
    """Both take turns, so that a busy machine is as busy for one as for the other. Making records is not counted."""
    ours = theirs = NONE
    with engine.writer() as writer:
        for start in range(0, size, _BATCH):
            records = [made_up(number) for number in range(start, min(start + _BATCH, size))]
            ours += spent(partial(_put, writer, records))
            theirs += spent(partial(plain.add, records))
        ours += spent(writer.publish)
    return rates("import", size, ours) | rates("plainImport", size, theirs)


def _put(writer: SqliteWriter, records: list[Record]) -> None:
    with writer.together():
        for one in records:
            writer.put([one], origin=f"made up#{one.id}", digest="1")


def _embed(engine: SqliteEngine, embedder: Embedder) -> None:
    with engine.writer() as writer:
        writer.use_embedder(embedder.identity, embedder.dim)
        while passages := writer.unembedded(_BATCH):
            rows = embedder.embed([passage.text for passage in passages])
            writer.embedded([(passage.id, row) for passage, row in zip(passages, rows, strict=True)])


def _queries(engine: SqliteEngine, queries: int) -> Row:
    """End to end: words, the query's vector, both rankings, snippets. The first few warm the caches, as a server is."""
    asked = _asked(queries)
    for query, filters in asked[:_WARM]:
        engine.search(query, filters)
    filtered = [spent(partial(engine.search, query, filters)) for query, filters in asked]
    unfiltered = [spent(partial(engine.search, query, Filters(NAMESPACES))) for query, _ in asked]
    return quantiles("filtered", filtered) | quantiles("unfiltered", unfiltered)


def _asked(queries: int) -> list[tuple[str, Filters]]:
    dice = random.Random(7)  # noqa: S311 - the same questions every time
    return [(question(dice), some_filters(dice)) for _ in range(queries)]

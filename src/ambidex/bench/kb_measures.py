"""What is measured of one size: import, opening, searching with and without filters, memory; and plain FTS5."""

from __future__ import annotations

import random
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from ambidex.bench.kb_records import NAMESPACES, SyntheticVectors, made_up, question, some_filters
from ambidex.capabilities.kb.embedders import Embedder
from ambidex.capabilities.kb.embedders.light import Light
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.sqlite.engine import SqliteEngine, open_kb

Row = dict[str, Any]
Tell = Callable[[str], None]
_BATCH = 2_000
_TABLE_UP_TO = 200_000
"""Records up to which vectors come from the light table; beyond, making them would take longer than all the rest."""
_OPEN = """
import sys, time
began = time.perf_counter()
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.sqlite.engine import open_kb
imported = time.perf_counter()
engine = open_kb(sys.argv[1])
engine.search("kiln", Filters(("studio",)))
print(time.perf_counter() - imported, imported - began)
"""


def measure(folder: Path, size: int, queries: int, tell: Tell) -> Row:
    path = folder / "kb.sqlite3"
    embedder = _embedder(size)
    engine = open_kb(path, embedder=embedder)
    row: Row = {"records": size, "vectors": embedder.identity, "queries": queries}
    tell("import")
    row["importPerSecond"] = size / _timed(lambda: _import(engine, size))
    tell("vectors")
    row["vectorsPerSecond"] = size / _timed(lambda: _embed(engine, embedder))
    row["diskBytes"], row["lexical"] = engine.stats().disk_bytes, engine.stats().lexical
    tell("opening in a fresh process")
    row["openSeconds"], row["importModulesSeconds"] = _opened(path)
    tell("queries")
    row |= _queries(engine, queries)
    row["memoryBytes"] = _memory()
    engine.close()
    tell("plain FTS5")
    return row | _plain(folder / "plain.sqlite3", size, queries)


def _embedder(size: int) -> Embedder:
    return Light() if size <= _TABLE_UP_TO and Light.installed() else SyntheticVectors()


def _import(engine: SqliteEngine, size: int) -> None:
    with engine.writer() as writer:
        for start in range(0, size, _BATCH):
            with writer.together():
                for number in range(start, min(start + _BATCH, size)):
                    writer.put([made_up(number)], origin=f"made up#{number}", digest="1")


def _embed(engine: SqliteEngine, embedder: Embedder) -> None:
    with engine.writer() as writer:
        writer.use_embedder(embedder.identity, embedder.dim)
        while passages := writer.unembedded(_BATCH):
            rows = embedder.embed([passage.text for passage in passages])
            writer.embedded([(passage.id, row) for passage, row in zip(passages, rows, strict=True)])


def _opened(path: Path) -> tuple[float, float]:
    """Opening and a first search in a process that has done nothing before; the modules' import apart."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", _OPEN, str(path)], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(3)
    ]
    return min(float(run[0]) for run in runs), min(float(run[1]) for run in runs)


def _queries(engine: SqliteEngine, queries: int) -> Row:
    """End to end: words, the query's vector, both rankings, snippets. The first few warm the caches, as a server is."""
    dice = random.Random(7)  # noqa: S311 - the same questions every time
    asked = [(question(dice), some_filters(dice)) for _ in range(queries)]
    for query, filters in asked[:20]:
        engine.search(query, filters)
    filtered = [_timed(partial(engine.search, query, filters)) for query, filters in asked]
    whole = Filters(NAMESPACES)
    unfiltered = [_timed(partial(engine.search, query, whole)) for query, _ in asked]
    return {**_quantiles("filtered", filtered), **_quantiles("unfiltered", unfiltered)}


def _plain(path: Path, size: int, queries: int) -> Row:
    """A table and MATCH, as one would write it in an afternoon: no filters, no vectors, no snippets."""
    link = sqlite3.connect(path)
    link.execute("CREATE VIRTUAL TABLE plain USING fts5(title, text, tokenize='porter unicode61')")
    records = (made_up(number) for number in range(size))
    seconds = _timed(
        lambda: link.executemany("INSERT INTO plain VALUES (?, ?)", ((one.title, one.text) for one in records))
    )
    link.commit()
    dice = random.Random(7)  # noqa: S311 - the same questions every time
    asked = []
    for _ in range(min(queries, 50)):
        asked.append(" OR ".join(question(dice).split()))
        some_filters(dice)
    select = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 5"
    times = [_timed(partial(_rows, link, select, query)) for query in asked]
    link.close()
    return {"plainImportPerSecond": size / seconds, **_quantiles("plain", times)}


def _rows(link: sqlite3.Connection, select: str, query: str) -> list[Any]:
    return link.execute(select, (query,)).fetchall()


def _quantiles(name: str, seconds: Iterable[float]) -> Row:
    found = sorted(seconds)
    last = found[min(len(found) - 1, round(len(found) * 0.99))]
    return {f"{name}P50Millis": statistics.median(found) * 1_000, f"{name}P99Millis": last * 1_000}


def _timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _memory() -> int:
    """Resident now, mapped files included where the system counts them so."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1_024
    return 0

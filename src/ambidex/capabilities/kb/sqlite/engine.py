"""The knowledge base in one SQLite file, for any number of reading processes and one that writes."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ambidex.capabilities.kb.engine import KbError, Stats, WriterBusy
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.found import Found
from ambidex.capabilities.kb.record import Record
from ambidex.capabilities.kb.search.words import query_words, storable
from ambidex.capabilities.kb.sqlite.candidates import Meaning
from ambidex.capabilities.kb.sqlite.conditions import Conditions, conditions
from ambidex.capabilities.kb.sqlite.indexes import Indexes
from ambidex.capabilities.kb.sqlite.keeping import decoded
from ambidex.capabilities.kb.sqlite.links import Links
from ambidex.capabilities.kb.sqlite.lock import only_writer
from ambidex.capabilities.kb.sqlite.near import near_ids
from ambidex.capabilities.kb.sqlite.schema import DERIVED, connect, prepare
from ambidex.capabilities.kb.sqlite.searching import Search
from ambidex.capabilities.kb.sqlite.state import State, read_state
from ambidex.capabilities.kb.sqlite.statistics import statistics
from ambidex.capabilities.kb.sqlite.writer import SqliteWriter
from ambidex.errors import AmbidexError

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Embedder

logger = logging.getLogger(__name__)
Others = Callable[[str], "Embedder | None"]
"""An embedder by its identity, if it can be had here: for vectors that another one made."""


def open_kb(
    path: str | os.PathLike[str],
    *,
    embedder: Embedder | None = None,
    others: Others | None = None,
    relevance: float = 0.0,
) -> SqliteEngine:
    """The base in a file, which is made if need be. `relevance` 0: the embedder's own threshold."""
    return SqliteEngine(Path(path), embedder, others, relevance)


class SqliteEngine:
    """Thread-safe: every thread has a connection of its own."""

    def __init__(self, path: Path, embedder: Embedder | None, others: Others | None, relevance: float) -> None:
        self.path = path
        self.folder = path.with_name(f"{path.name}.index")
        self._embedder, self._others, self._relevance = embedder, others, relevance
        self._found: dict[str, Embedder | None] = {}
        prepare(path)
        self._links = Links(path)
        self._indexes = Indexes(self.folder)
        self._repair()

    def search(self, query: str, filters: Filters, *, top_k: int = 5) -> Found:
        began = time.perf_counter()
        asked, within = storable(query), conditions(filters)
        words = query_words(asked)
        with self._links.reading() as link:
            if not within.namespaces or top_k < 1 or not asked.strip():
                return Found((), False, _millis(began))
            state = read_state(link)
            meaning, threshold = self._meaning(link, state, asked)
            search = Search(link, self._indexes.lexical(link, state), meaning, threshold)
            hits, nothing_relevant = search.run(words, within, top_k)
        return Found(hits, nothing_relevant, _millis(began))

    def get(self, ids: Sequence[str], *, namespaces: Sequence[str]) -> list[Record]:
        condition, values = Conditions(tuple(namespaces), None, (), None, None).sql
        query = f"SELECT b.body FROM records r CROSS JOIN bodies b ON b.row = r.row WHERE r.id = ? AND {condition}"  # noqa: S608
        with self._links.reading() as link:
            rows = [link.execute(query, (storable(id), *values)).fetchone() for id in ids]
        return [decoded(row[0]) for row in rows if row is not None]

    def near(self, id: str, *, namespaces: Sequence[str], most: int = 3) -> list[str]:
        with self._links.reading() as link:
            return near_ids(link, id, namespaces, most)

    def stats(self) -> Stats:
        with self._links.reading() as link:
            state = read_state(link)
            return statistics(link, self.path, self.folder, state, self._indexes.lexical(link, state).name)

    @contextmanager
    def writer(self, *, wait_seconds: float = 0.0) -> Iterator[SqliteWriter]:
        """What was put is committed even when the block ends with an exception; only the part that failed is not."""
        with only_writer(self.path.with_name(f"{self.path.name}.lock"), wait_seconds=wait_seconds):
            link = connect(self.path, writing=True)
            try:
                writer = SqliteWriter(link, self.folder)
                if read_state(link).derived != DERIVED:
                    writer.reindex(lambda done, whole: None)
                try:
                    yield writer
                finally:
                    writer.publish()
            finally:
                link.close()

    def close(self) -> None:
        self._links.close()

    def _meaning(self, link: sqlite3.Connection, state: State, query: str) -> tuple[Meaning | None, float]:
        """The query as a vector of those that serve now; None when there are none or nobody can make one."""
        slots = self._indexes.slots(link, state)
        if slots is None or state.serving is None:
            return None, 0.0
        [identity] = link.execute("SELECT identity FROM embedders WHERE number = ?", (state.serving,)).fetchone()
        embedder = self._embedder_of(identity)
        if embedder is None:
            return None, 0.0
        try:
            vector = embedder.embed_query(query)
        except AmbidexError as error:  # its model or a package is missing: words still find
            logger.warning("%s: searching by words alone, since %s", self.path, error)
            return None, 0.0
        return Meaning(vector, slots), self._relevance or embedder.relevance

    def _embedder_of(self, identity: str) -> Embedder | None:
        if self._embedder is None or self._embedder.identity == identity:
            return self._embedder
        if identity not in self._found and self._others is not None:
            self._found[identity] = self._others(identity)
        return self._found.get(identity)

    def _repair(self) -> None:
        """Make derived files anew if they are missing or of another version; a writer at work will do it instead."""
        with self._links.reading() as link:
            state = read_state(link)
            if state.derived == DERIVED and not self._indexes.damaged(link, state):
                return
        try:
            with self.writer():
                logger.info("%s: the indexes were made anew", self.path)
        except WriterBusy:
            logger.info("%s: the indexes wait for the process that writes", self.path)
        except (OSError, sqlite3.OperationalError) as error:
            raise KbError(f"the indexes of {self.path} cannot be made anew: {error}") from error


def _millis(began: float) -> float:
    return (time.perf_counter() - began) * 1_000

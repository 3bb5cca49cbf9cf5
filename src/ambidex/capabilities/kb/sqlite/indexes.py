"""The derived files as a reader sees them: mapped once, and again when the database says that they have changed."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ambidex.capabilities.kb.sqlite import placing, tantivy_index
from ambidex.capabilities.kb.sqlite.lexical import Fts5, Lexical
from ambidex.capabilities.kb.sqlite.publishing import tantivy_folder
from ambidex.capabilities.kb.sqlite.state import State
from ambidex.capabilities.kb.sqlite.tantivy_index import TantivyIndex

if TYPE_CHECKING:
    from ambidex.capabilities.kb.sqlite.vector_file import Extent, Slots


class Indexes:
    """Shared by all threads of one engine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._slots: tuple[tuple[int, Extent], Slots] | None = None
        self._tantivy: TantivyIndex | None = None

    def slots(self, link: sqlite3.Connection, state: State) -> Slots | None:
        """The vectors that count now; None when there are none, or the file is not as it should be."""
        if state.slots == 0 or not placing.numpy_installed():
            return None
        extent = placing.extent(state)
        with self._lock:
            if self._slots is not None and self._slots[0] == (state.generation, extent):
                return self._slots[1]
            file = placing.vector_file(link, self._folder, state)
            if file is None or not file.holds(extent):
                return None
            self._slots = (state.generation, extent), file.map(extent)
            return self._slots[1]

    def lexical(self, link: sqlite3.Connection, state: State) -> Lexical:
        """Tantivy when it has come as far as the database, else FTS5, which always has."""
        if not state.tantivy:
            return Fts5(link)
        with self._lock:
            if self._tantivy is None or self._tantivy.applied != state.change:
                self._tantivy = self._opened(state)
            return self._tantivy or Fts5(link)

    def damaged(self, link: sqlite3.Connection, state: State) -> list[str]:
        """Derived files that are missing or of another version."""
        found = []
        if placing.numpy_installed() and not placing.whole(link, self._folder, state):
            found.append("vectors")
        if state.tantivy and tantivy_index.installed() and tantivy_index.applied(tantivy_folder(self._folder)) is None:
            found.append("tantivy")
        return found

    def _opened(self, state: State) -> TantivyIndex | None:
        home = tantivy_folder(self._folder)
        if not tantivy_index.installed() or tantivy_index.applied(home) != state.change:
            return None
        try:
            return TantivyIndex(home)
        except (OSError, ValueError):
            return None

"""Plain FTS5, to set beside the knowledge base: a table and MATCH, as one would write it in an afternoon.

No filters, no vectors, no snippets, no ids.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ambidex.bench.kb_clock import Spent, spent
from ambidex.capabilities.kb.record import Record


class Plain:
    def __init__(self, path: Path) -> None:
        self._link = sqlite3.connect(path)
        self._link.execute("PRAGMA journal_mode = WAL")
        self._link.execute("CREATE VIRTUAL TABLE plain USING fts5(title, text, tokenize='porter unicode61')")

    def add(self, records: Sequence[Record]) -> None:
        with self._link:
            self._link.executemany("INSERT INTO plain VALUES (?, ?)", [(one.title, one.text) for one in records])

    def search(self, questions: Sequence[str]) -> list[Spent]:
        return [spent(partial(self._search, " OR ".join(question.split()))) for question in questions]

    def close(self) -> None:
        self._link.close()

    def _search(self, query: str) -> None:
        self._link.execute("SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 5", (query,)).fetchall()

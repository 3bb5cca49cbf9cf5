"""Rows on their way into the FTS5 table and out of it.

They wait for the end of the transaction: a savepoint makes FTS5 write down what it has, so with one for every origin
each record would become a segment of its own, to be merged with all the others.
"""

from __future__ import annotations

import sqlite3

_ROOM = 16 << 20
"""Characters that may wait."""
_WRITE = "INSERT INTO lexical (lexical, rowid, title, text, tags) VALUES (?, ?, ?, ?, ?)"

_Row = tuple[str | None, int, str, str, str]
"""FTS5's command (none: come in), and what it is about."""


class LexicalRows:
    """In the order in which they came; a passage may go out and come in again."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []
        self._size = 0

    def add(self, passage: int, title: str, text: str, tags: str) -> None:
        self._append((None, passage, title, text, tags))

    def remove(self, passage: int, title: str, text: str, tags: str) -> None:
        """FTS5 keeps no copy, so it must be told what the row held."""
        self._append(("delete", passage, title, text, tags))

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def full(self) -> bool:
        return self._size > _ROOM

    def cut(self, length: int) -> None:
        """Forget what came after the first so many."""
        self._size -= sum(_size(row) for row in self._rows[length:])
        del self._rows[length:]

    def write(self, link: sqlite3.Connection) -> None:
        link.executemany(_WRITE, self._rows)
        self.cut(0)

    def _append(self, row: _Row) -> None:
        self._rows.append(row)
        self._size += _size(row)


def _size(row: _Row) -> int:
    return len(row[2]) + len(row[3]) + len(row[4])

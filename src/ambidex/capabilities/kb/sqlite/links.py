"""Connections of readers: one for each thread, opened at its first use."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, local

from ambidex.capabilities.kb.engine import KbError
from ambidex.capabilities.kb.sqlite.schema import connect


class Links:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._here = local()
        self._lock = Lock()
        self._open: list[sqlite3.Connection] = []
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One view of the base, whatever is written meanwhile."""
        link = self._link()
        link.execute("BEGIN")
        try:
            yield link
        finally:
            link.execute("ROLLBACK")

    def close(self) -> None:
        with self._lock:
            self._closed = True
            while self._open:
                self._open.pop().close()

    def _link(self) -> sqlite3.Connection:
        if self._closed:
            raise KbError("the knowledge base is closed")
        held: tuple[int, sqlite3.Connection] | None = getattr(self._here, "link", None)
        if held is not None and held[0] == os.getpid():
            return held[1]
        # A fork must not use its parent's connection, not even to close it: the old one stays in the list, unused.
        link = connect(self._path)
        link.execute("PRAGMA query_only = ON")
        self._here.link = (os.getpid(), link)
        with self._lock:
            self._open.append(link)
        return link

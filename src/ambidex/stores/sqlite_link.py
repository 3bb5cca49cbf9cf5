"""One connection to a SQLite store, in the hands of one thread of one process."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress

from ambidex.stores.sqlite_faults import patiently


class Link:
    """A connection and where its transaction stands."""

    __slots__ = ("_connection", "_lasting", "execute", "pid")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lasting: bool | None = None
        self.execute = connection.cursor().execute
        self.pid = os.getpid()

    def begin(self, *, lasting: bool, busy_seconds: float) -> None:
        if self._connection.in_transaction:
            raise RuntimeError("an operation cannot run another operation; give it its own tx")
        if lasting is not self._lasting:
            # FULL flushes the log at every commit; NORMAL leaves that to the system, which a killed process survives.
            self.execute(f"PRAGMA synchronous = {'FULL' if lasting else 'NORMAL'}")
            self._lasting = lasting
        patiently(lambda: self.execute("BEGIN IMMEDIATE"), busy_seconds)

    def commit(self) -> None:
        self.execute("COMMIT")

    def rollback(self) -> None:
        """Undo what is left to undo: after some failures SQLite has done so itself. Whatever led here is raised."""
        if self._connection.in_transaction:
            with suppress(sqlite3.Error):
                self.execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()

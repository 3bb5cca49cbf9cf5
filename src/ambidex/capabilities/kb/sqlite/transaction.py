"""The writer's transactions: one inside another is a part of it, and effects on files wait for the outermost commit."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from ambidex.capabilities.kb.sqlite.lexical_rows import LexicalRows
from ambidex.capabilities.kb.sqlite.state import read_state, write_state


class Transactions:
    """One connection's; used by one thread at a time."""

    def __init__(self, link: sqlite3.Connection) -> None:
        self._link = link
        self._depth = 0
        self._change: int | None = None
        self.freed: list[int] = []
        """Slots that hold nothing any more, once this is committed."""
        self.lexical = LexicalRows()
        """Written when the outermost transaction ends."""

    @contextmanager
    def begin(self) -> Iterator[None]:
        if self._depth == 1 and self.lexical.full:  # deeper, another part's rows could be rolled back with this one's
            self.lexical.write(self._link)
        freed, lexical = len(self.freed), len(self.lexical)
        self._link.execute(f"SAVEPOINT part{self._depth}" if self._depth else "BEGIN IMMEDIATE")
        self._depth += 1
        try:
            yield
            if self._depth == 1:
                self._settle()
        except BaseException:
            del self.freed[freed:]
            self.lexical.cut(lexical)
            self._end(rollback=True)
            raise
        self._end(rollback=False)

    def change(self) -> int:
        """The number of this change: one for each outermost transaction that changes records."""
        if self._change is None:
            self._change = read_state(self._link).change + 1
        return self._change

    def take_freed(self) -> list[int]:
        freed, self.freed = self.freed, []
        return freed

    def _settle(self) -> None:
        self.lexical.write(self._link)
        if self._change is not None:
            write_state(self._link, change=self._change)

    def _end(self, *, rollback: bool) -> None:
        self._depth -= 1
        if self._depth:
            part = f"part{self._depth}"
            if rollback:
                self._link.execute(f"ROLLBACK TO {part}")
            self._link.execute(f"RELEASE {part}")
            return
        self._change = None
        self._link.execute("ROLLBACK" if rollback else "COMMIT")

    @property
    def outermost(self) -> bool:
        return self._depth == 0

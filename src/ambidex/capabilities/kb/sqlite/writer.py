"""The one writer: records in and out, vectors in, and everything derived kept in step."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ambidex.capabilities.kb.engine import DuplicateId, Passage, Progress
from ambidex.capabilities.kb.record import Record, content_hash
from ambidex.capabilities.kb.search.passages import embedded_text, heading
from ambidex.capabilities.kb.sqlite import keeping, placing, publishing
from ambidex.capabilities.kb.sqlite.schema import DERIVED, LEXICAL
from ambidex.capabilities.kb.sqlite.state import read_state, write_state
from ambidex.capabilities.kb.sqlite.transaction import Transactions

if TYPE_CHECKING:
    from ambidex.capabilities.kb.engine import Row


class SqliteWriter:
    """Made by `SqliteEngine.writer`, which holds the lock; for one thread at a time."""

    def __init__(self, link: sqlite3.Connection, folder: Path) -> None:
        self._link, self._folder = link, folder
        self._transactions = Transactions(link)

    @contextmanager
    def together(self) -> Iterator[None]:
        with self._transactions.begin():
            yield
        if self._transactions.outermost:
            self._blank()

    def put(self, records: Sequence[Record], *, origin: str, digest: str) -> None:
        with self.together():
            number, was_known = self._origin(origin, digest)
            kept: set[str] = set()
            for record in records:
                if record.id in kept:
                    raise DuplicateId(record.id, origin)
                kept.add(record.id)
                self._keep(record, number)
            if was_known:
                had = self._link.execute("SELECT row, id FROM records WHERE origin = ?", (number,)).fetchall()
                self._drop([row for row, id in had if id not in kept])

    def origins(self) -> dict[str, str]:
        return dict(self._link.execute("SELECT name, digest FROM origins").fetchall())

    def forget(self, origins: Sequence[str]) -> int:
        dropped = 0
        with self.together():
            for name in origins:
                rows = self._link.execute(
                    "SELECT row FROM records WHERE origin = (SELECT number FROM origins WHERE name = ?)", (name,)
                ).fetchall()
                dropped += self._drop([row for (row,) in rows])
                self._link.execute("DELETE FROM origins WHERE name = ?", (name,))
        return dropped

    def reindex(self, progress: Progress) -> None:
        whole = self._link.execute("SELECT count(*) FROM records").fetchone()[0]
        with self.together():
            self._link.execute("DROP TABLE IF EXISTS lexical")
            self._link.execute(LEXICAL)
            rows = self._link.execute("SELECT row FROM records ORDER BY row").fetchall()
            for done, (row,) in enumerate(rows, 1):
                self._recut(row)
                if self._transactions.lexical.full:
                    self._transactions.lexical.write(self._link)
                if done % 500 == 0 or done == whole:
                    progress(done, whole)
            write_state(self._link, derived=DERIVED)
            placing.rebuild(self._link, self._folder)
        publishing.forget_tantivy(self._link, self._folder)

    def unembedded(self, most: int) -> list[Passage]:
        rows = self._link.execute(
            """SELECT p.id, p.record, p.start, p.stop, p.hash FROM unembedded u
            CROSS JOIN passages p ON p.id = u.passage ORDER BY u.passage LIMIT ?""",
            (most,),
        ).fetchall()
        bodies = {record: keeping.body(self._link, record) for record in {row[1] for row in rows}}
        return [
            Passage(
                number,
                embedded_text(body.title, body.tags, body.text[start:stop]),
                hash,
                heading(body.title, body.tags, body.metadata),
            )
            for number, body, start, stop, hash in ((n, bodies[r], a, b, h) for n, r, a, b, h in rows)
        ]

    def embedded(self, vectors: Sequence[tuple[int, Row]]) -> None:
        import numpy as np

        with self.together():
            state = read_state(self._link)
            if state.wanted is None:
                raise ValueError("use_embedder says first whose vectors these are")
            waiting = [(n, row) for n, row in vectors if self._waits(n)]
            rows = [(state.wanted, n, np.asarray(row, np.float32).astype(np.float16).tobytes()) for n, row in waiting]
            self._link.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            numbers = [(n,) for n, _ in waiting]
            self._link.executemany("DELETE FROM unembedded WHERE passage = ?", numbers)
            if state.wanted == state.serving:
                self._link.executemany("INSERT OR IGNORE INTO unplaced VALUES (?)", numbers)
                placing.place_waiting(self._link, self._folder)
            else:
                self._switch_when_complete()

    def use_embedder(self, identity: str, dim: int) -> None:
        with self.together():
            self._link.execute("INSERT OR IGNORE INTO embedders (identity, dim) VALUES (?, ?)", (identity, dim))
            number = self._link.execute("SELECT number FROM embedders WHERE identity = ?", (identity,)).fetchone()[0]
            state = read_state(self._link)
            if state.wanted == number:
                return
            write_state(self._link, wanted=number)
            self._link.execute("DELETE FROM unembedded")
            self._link.execute(
                """INSERT INTO unembedded SELECT id FROM passages p WHERE p.hash <> ? AND NOT EXISTS
                (SELECT 1 FROM vectors v WHERE v.embedder = ? AND v.passage = p.id)""",
                (keeping.WORDS_ALONE, number),
            )
            if state.slots == state.dead:  # nothing serves that would be worth waiting with
                write_state(self._link, serving=number)
                placing.rebuild(self._link, self._folder)
            else:
                self._switch_when_complete()

    def publish(self) -> None:
        """What is left for the end of writing: slots, room in the vector file, the large lexical index."""
        with self.together():
            publishing.tidy(self._link, self._folder)
        publishing.remove_old_files(self._link, self._folder)
        publishing.catch_up(self._link, self._folder)

    def _origin(self, name: str, digest: str) -> tuple[int, bool]:
        row = self._link.execute("SELECT number FROM origins WHERE name = ?", (name,)).fetchone()
        if row:
            self._link.execute("UPDATE origins SET digest = ? WHERE number = ?", (digest, row[0]))
            return row[0], True
        number = self._link.execute("INSERT INTO origins (name, digest) VALUES (?, ?)", (name, digest)).lastrowid
        return number or 0, False

    def _keep(self, record: Record, origin: int) -> None:
        there = keeping.known(self._link, record.id)
        if there is None:
            keeping.add(self._link, self._transactions.lexical, record, origin, self._transactions.change())
        elif there.origin != origin:
            [name] = self._link.execute("SELECT name FROM origins WHERE number = ?", (there.origin,)).fetchone()
            raise DuplicateId(record.id, name)
        elif there.hash != content_hash(record):
            change, lexical = self._transactions.change(), self._transactions.lexical
            self._transactions.freed += keeping.replace(self._link, lexical, there.row, record, origin, change)

    def _drop(self, rows: Sequence[int]) -> int:
        for row in rows:
            change = self._transactions.change()
            self._transactions.freed += keeping.drop(self._link, self._transactions.lexical, row)
            self._link.execute("INSERT INTO gone VALUES (?, ?)", (row, change))
        return len(rows)

    def _recut(self, row: int) -> None:
        numbers: keeping.Numbers = {}
        for number, hash in self._link.execute("SELECT id, hash FROM passages WHERE record = ?", (row,)).fetchall():
            numbers.setdefault(hash, []).append(number)
        keeping.recut(self._link, self._transactions.lexical, row, keeping.body(self._link, row), numbers)

    def _waits(self, passage: int) -> bool:
        return self._link.execute("SELECT 1 FROM unembedded WHERE passage = ?", (passage,)).fetchone() is not None

    def _switch_when_complete(self) -> None:
        if self._link.execute("SELECT 1 FROM unembedded LIMIT 1").fetchone():
            return
        state = read_state(self._link)
        write_state(self._link, serving=state.wanted)
        placing.rebuild(self._link, self._folder)
        self._link.execute("DELETE FROM vectors WHERE embedder <> ?", (state.wanted,))
        self._link.execute("DELETE FROM embedders WHERE number <> ?", (state.wanted,))

    def _blank(self) -> None:
        """After the commit: before it, a crash would leave records without a slot that the database counts on."""
        freed = self._transactions.take_freed()
        state = read_state(self._link)
        file = placing.vector_file(self._link, self._folder, state) if freed else None
        if file is not None and file.holds(placing.extent(state)):
            file.blank(freed)
            write_state(self._link, dead=state.dead + len(freed))

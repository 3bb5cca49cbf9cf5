"""What a base holds, in numbers."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ambidex.capabilities.kb.engine import Stats
from ambidex.capabilities.kb.sqlite.indexes import Indexes
from ambidex.capabilities.kb.sqlite.keeping import WORDS_ALONE
from ambidex.capabilities.kb.sqlite.schema import FORMAT
from ambidex.capabilities.kb.sqlite.state import State


def statistics(link: sqlite3.Connection, path: Path, folder: Path, state: State, lexical: str) -> Stats:
    identities = dict(link.execute("SELECT number, identity FROM embedders").fetchall())
    passages, pending = _count(link, "passages"), _count(link, "unembedded")
    [alone] = link.execute("SELECT count(*) FROM passages WHERE hash = ?", (WORDS_ALONE,)).fetchone()
    return Stats(
        records=_count(link, "records"),
        types=dict(link.execute("SELECT type, count(*) FROM records GROUP BY type ORDER BY type").fetchall()),
        namespaces=dict(
            link.execute("SELECT namespace, count(*) FROM records GROUP BY namespace ORDER BY namespace").fetchall()
        ),
        passages=passages,
        lexical=lexical,
        embedder=identities.get(state.serving),
        wanted=identities.get(state.wanted),
        embedded=passages - alone - pending if state.wanted is not None else 0,
        pending=pending,
        disk_bytes=_bytes(path, folder),
        version=FORMAT,
        damaged=tuple(Indexes(folder).damaged(link, state)),
    )


def _count(link: sqlite3.Connection, table: str) -> int:
    found: int = link.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - our own table names
    return found


def _bytes(path: Path, folder: Path) -> int:
    files = [*path.parent.glob(f"{path.name}*"), *folder.rglob("*")]
    return sum(file.stat().st_size for file in files if file.is_file())

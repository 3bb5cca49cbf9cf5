"""The tables, and connections to them.

Records, origins and vectors are the truth. Passages, the lexical table and everything in the folder beside the file are
made from them: `DERIVED` is the version of how, and another number there means: make them anew.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ambidex.capabilities.kb.engine import KbError

FORMAT = 1
"""Of the truth. A file of a later format is refused, so that an older program cannot damage it."""
DERIVED = 3
_APPLICATION = 0x414D4B42
_BUSY_SECONDS = 10.0
_MAPPED_BYTES = 1 << 30

_TRUTH = """
CREATE TABLE state (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE origins (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, digest TEXT NOT NULL);
-- Slim on purpose: filters walk this table, texts lie in the next one.
CREATE TABLE records (
    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, namespace TEXT NOT NULL,
    updated INTEGER NOT NULL, origin INTEGER NOT NULL, hash TEXT NOT NULL, change INTEGER NOT NULL
);
CREATE INDEX records_by_origin ON records (origin);
CREATE INDEX records_by_change ON records (change);
CREATE TABLE bodies (row INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE tags (tag TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (tag, row)) WITHOUT ROWID;
CREATE TABLE gone (row INTEGER PRIMARY KEY, change INTEGER NOT NULL);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, record INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
    hash TEXT NOT NULL, slot INTEGER
);
CREATE INDEX passages_by_record ON passages (record);
CREATE TABLE namespaces (code INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE embedders (number INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, dim INTEGER NOT NULL);
CREATE TABLE vectors (
    embedder INTEGER NOT NULL, passage INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (embedder, passage)
) WITHOUT ROWID;
CREATE TABLE unembedded (passage INTEGER PRIMARY KEY);
CREATE TABLE unplaced (passage INTEGER PRIMARY KEY);
"""
LEXICAL = "CREATE VIRTUAL TABLE lexical USING fts5(title, text, tags, content='', tokenize='porter unicode61')"


def connect(path: Path, *, writing: bool = False) -> sqlite3.Connection:
    """Autocommit; transactions are begun by name."""
    link = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    link.execute("PRAGMA synchronous = NORMAL")
    link.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
    link.execute(f"PRAGMA cache_size = -{(65_536 if writing else 16_384)}")
    link.execute("PRAGMA temp_store = MEMORY")
    return link


def prepare(path: Path) -> None:
    """Make the file if it is not there; refuse one that is not ours or is of a later format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        link = connect(path)
    except sqlite3.Error as error:
        raise KbError(f"{path} cannot be opened: {error}") from None
    try:
        if _application(link, path) == 0:
            _create(link, path)
        found = link.execute("PRAGMA user_version").fetchone()[0]
        if found > FORMAT:
            raise KbError(f"{path} has format {found}, this program knows {FORMAT}; use a newer ambidex")
    finally:
        link.close()


def _application(link: sqlite3.Connection, path: Path) -> int:
    try:
        found: int = link.execute("PRAGMA application_id").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise KbError(f"{path} is no knowledge base: {error}; move it away and import again") from None
    if found not in (0, _APPLICATION):
        raise KbError(f"{path} belongs to another program; choose another kb.path")
    return found


def _create(link: sqlite3.Connection, path: Path) -> None:
    """Two processes may come at once; the second finds the work done."""
    link.execute("PRAGMA journal_mode = WAL")
    link.execute("BEGIN IMMEDIATE")
    try:
        if link.execute("PRAGMA application_id").fetchone()[0] == 0:
            if link.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise KbError(f"{path} belongs to another program; choose another kb.path")
            for statement in _TRUTH.split(";"):
                link.execute(statement)
            link.execute(LEXICAL)
            link.execute("INSERT INTO state VALUES ('derived', ?)", (DERIVED,))
            link.execute(f"PRAGMA user_version = {FORMAT}")
            link.execute(f"PRAGMA application_id = {_APPLICATION}")
        link.execute("COMMIT")
    except BaseException:
        link.execute("ROLLBACK")
        raise

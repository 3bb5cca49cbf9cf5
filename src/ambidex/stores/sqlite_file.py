"""The file of a SQLite store: where it may lie, whose it is, how it is opened.

Every connection passes the same checks, so a worker of another version refuses to start instead of guessing.
Nothing is written to a file before it is known to be new or ours. There is no integrity check on opening: a kill or a
power failure cannot damage a file in write-ahead mode, and reading all of it would make every start slow.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from ambidex.stores.errors import StoreMismatch
from ambidex.stores.mounts import filesystem_of
from ambidex.stores.sqlite_faults import patiently

APPLICATION_ID = int.from_bytes(b"Ambx")
SCHEMA_VERSION = 1
_TABLE = "CREATE TABLE kv (space TEXT, key TEXT, value BLOB NOT NULL, PRIMARY KEY (space, key)) WITHOUT ROWID"
_IDENTITY = """
    SELECT (SELECT application_id FROM pragma_application_id),
           (SELECT user_version FROM pragma_user_version),
           (SELECT count(*) FROM sqlite_master)
"""
"""One statement, so that no other process can be seen halfway through making the file ours."""
_NETWORKED = frozenset("afs beegfs ceph cifs fuse.glusterfs fuse.sshfs lustre nfs nfs4 smb3 smbfs".split())


def create(path: Path) -> None:
    """Make an empty file that only its owner may read, unless there is one; SQLite gives its companions that mode."""
    _check_place(path)
    with suppress(FileExistsError):
        # Exclusive: opening and closing a file that SQLite has open in this process would drop its locks.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def connect(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """A connection in autocommit mode to a file that is there and ours."""
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw",  # never made here: a file that vanished must not come back empty
        uri=True,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,  # `close` is called from any thread
    )
    try:
        patiently(lambda: _prepare(connection, path), busy_seconds)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_place(path: Path) -> None:
    if not path.parent.is_dir():
        raise StoreMismatch(f"the folder {path.parent} of the store does not exist; create it or name another")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise StoreMismatch(f"the folder {path.parent} must be writable: SQLite keeps its log beside {path.name}")
    if path.exists():
        if not path.is_file():
            raise StoreMismatch(f"{path} is not a file; a store needs one of its own")
        if not os.access(path, os.R_OK | os.W_OK):
            raise StoreMismatch(f"{path} must be readable and writable; change its owner or mode, or name another file")
    if (filesystem := filesystem_of(path.parent)) in _NETWORKED:
        raise StoreMismatch(
            f"{path} lies on a network file system ({filesystem}), where SQLite can lose writes; use a local disk"
        )


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    new = _is_new(connection, path)
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StoreMismatch(f"{path} cannot keep a write-ahead log (journal mode {mode!r}); use a local disk")
    connection.execute("PRAGMA fullfsync = ON")  # macOS: without it a flush may stay in the drive's cache
    if new:
        _make_ours(connection, path)


def _is_new(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether nobody has used the file yet. Refuses any file but a new one and ours."""
    application, version, tables = connection.execute(_IDENTITY).fetchone()
    if (application, version, tables) == (0, 0, 0):
        return True
    if application != APPLICATION_ID:
        raise StoreMismatch(f"{path} is a SQLite database of another program; name another file for the store")
    if version != SCHEMA_VERSION:
        raise StoreMismatch(_other_version(path, version))
    return False


def _other_version(path: Path, version: int) -> str:
    found = f"{path} is a store of version {version}, this Ambidex uses version {SCHEMA_VERSION}"
    if version > SCHEMA_VERSION:
        return f"{found}: a newer Ambidex has written it; upgrade this one, or name another file for the store"
    return f"{found}: an older Ambidex has written it; run that one until its work is done, then name another file"


def _make_ours(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _is_new(connection, path):  # another process may have been faster
            connection.execute(_TABLE)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise

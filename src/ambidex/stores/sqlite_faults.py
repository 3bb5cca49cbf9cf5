"""SQLite's error codes -> our two failures. What is in neither table is a bug of ours, and stays as it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import uniform
from time import monotonic, sleep
from typing import TypeVar

from ambidex.errors import AmbidexError
from ambidex.stores.errors import StoreMismatch, StoreUnavailable

T = TypeVar("T")

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_UNAVAILABLE = {
    sqlite3.SQLITE_BUSY: "other operations kept it busy for too long",
    sqlite3.SQLITE_LOCKED: "other operations kept it locked for too long",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk failed; a commit that was under way may or may not have been kept",
    sqlite3.SQLITE_CANTOPEN: "its file cannot be opened",
    sqlite3.SQLITE_READONLY: "it has become read-only",
    sqlite3.SQLITE_PROTOCOL: "its locks cannot be had",
    sqlite3.SQLITE_NOMEM: "there is no memory left",
}
_MISMATCH = {
    sqlite3.SQLITE_NOTADB: "is not a SQLite database; name another file",
    sqlite3.SQLITE_CORRUPT: "is damaged; restore it from a backup or name another file",
}
_SHORTEST_WAIT, _LONGEST_WAIT = 0.0002, 0.005


@contextmanager
def translated(url: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        failure = _failure(url, error)
        if failure is None:
            raise
        raise failure from error


def _failure(url: str, error: sqlite3.Error) -> AmbidexError | None:
    code = _code(error)
    if code in _UNAVAILABLE:
        return StoreUnavailable(f"{url}: {_UNAVAILABLE[code]} ({error})")
    if code in _MISMATCH:
        return StoreMismatch(f"{url} {_MISMATCH[code]} ({error})")
    return None


def patiently(attempt: Callable[[], T], seconds: float) -> T:
    """Try until nobody else holds the lock.

    SQLite's own waiting grows to 100 ms a step, so whoever waited longest would be served last.
    Short waits of random length give many processes an even chance.
    """
    deadline = monotonic() + seconds
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            if _code(error) not in _BUSY or monotonic() >= deadline:
                raise
        sleep(uniform(_SHORTEST_WAIT, _LONGEST_WAIT))  # noqa: S311 - luck, not a secret


def _code(error: sqlite3.Error) -> int:
    """The primary code; errors that the Python module raises by itself have none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF

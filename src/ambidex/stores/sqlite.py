"""The store of one machine: a SQLite file, shared by all its processes.

Every operation takes the write lock first, so operations happen one after another, wherever they come from. Values are
msgpack. There is one connection for each thread, opened at its first run; a forked process opens its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import local
from typing import Any, TypeVar

import msgspec

from ambidex.stores.base import Space, Tx
from ambidex.stores.clock import Clock, Moment, SystemClock
from ambidex.stores.errors import StoreMismatch, StoreUnavailable
from ambidex.stores.sqlite_faults import translated
from ambidex.stores.sqlite_file import connect, create
from ambidex.stores.sqlite_link import Link

T = TypeVar("T")

BUSY_SECONDS = 5.0
_encode = msgspec.msgpack.Encoder().encode
_decoders: dict[type[Any], msgspec.msgpack.Decoder[Any]] = {}
_inherited: list[Link] = []
"""Links that a fork copied from its parent: not even closing them is safe here, so they are kept."""


class SqliteStore:
    """Making one creates the file if need be and refuses a file or a place that is not fit."""

    durable = True

    def __init__(
        self, path: str | os.PathLike[str], clock: Clock | None = None, *, busy_seconds: float = BUSY_SECONDS
    ) -> None:
        self.url = f"sqlite:{os.fspath(path)}"
        self.clock = clock or SystemClock()
        self._path = Path(os.path.realpath(path))
        self._busy_seconds = busy_seconds
        self._here = local()
        self._links: list[Link] = []
        self._closed = False
        with translated(self.url):
            create(self._path)
            connect(self._path, busy_seconds).close()
        self._file = self._file_there()

    def run(self, operation: Callable[[Tx], T], *, lasting: bool = True) -> T:
        with translated(self.url):
            link = self._link()
            link.begin(lasting=lasting, busy_seconds=self._busy_seconds)
            try:
                tx = _SqliteTx(self.clock.moment(), link.execute)
                result = _alone(operation, tx)
                link.commit()
                return result
            except BaseException:
                link.rollback()
                raise

    def close(self) -> None:
        self._closed = True
        while self._links:
            link = self._links.pop()
            if link.pid == os.getpid():
                link.close()
            else:
                _inherited.append(link)

    def _link(self) -> Link:
        """The connection of this thread of this process."""
        if self._closed:
            raise StoreUnavailable(f"the store {self.url} is closed")
        if self._file_there() != self._file:
            # Others would meet in the new file while this process went on in the old one.
            raise StoreMismatch(f"{self._path} was removed or replaced while in use; restart what uses it")
        link: Link | None = getattr(self._here, "link", None)
        if link is None or link.pid != os.getpid():
            link = Link(connect(self._path, self._busy_seconds))
            self._here.link = link
            self._links.append(link)
        return link

    def _file_there(self) -> tuple[int, int] | None:
        try:
            there = os.stat(self._path)
        except OSError:
            return None
        return there.st_dev, there.st_ino


def _alone(operation: Callable[[Tx], T], tx: _SqliteTx) -> T:
    """Run, and end the transaction for whoever has kept it: a late write would belong to nobody's commit."""
    try:
        return operation(tx)
    finally:
        tx.execute = _ended


def _ended(*_: Any) -> Any:
    raise RuntimeError("this transaction has ended; nothing may keep it beyond its operation")


class _SqliteTx:
    __slots__ = ("execute", "now")

    def __init__(self, now: Moment, execute: Callable[..., Any]) -> None:
        self.now = now
        self.execute = execute

    def get(self, space: Space[T], key: str) -> T | None:
        row = self.execute("SELECT value FROM kv WHERE space = ? AND key = ?", (space.name, key)).fetchone()
        return None if row is None else _decoded(space, row[0])

    def put(self, space: Space[T], key: str, value: T) -> None:
        self.execute("INSERT OR REPLACE INTO kv VALUES (?, ?, ?)", (space.name, key, _encode(value)))

    def delete(self, space: Space[T], key: str) -> None:
        self.execute("DELETE FROM kv WHERE space = ? AND key = ?", (space.name, key))

    def scan(
        self, space: Space[T], prefix: str = "", *, after: str | None = None, limit: int | None = None
    ) -> list[tuple[str, T]]:
        query, values = "SELECT key, value FROM kv WHERE space = ? AND key >= ?", [space.name, prefix]
        if (end := _beyond(prefix)) is not None:
            query, values = f"{query} AND key < ?", [*values, end]
        if after is not None:
            query, values = f"{query} AND key > ?", [*values, after]
        rows = self.execute(f"{query} ORDER BY key LIMIT ?", (*values, -1 if limit is None else limit)).fetchall()
        return [(key, _decoded(space, value)) for key, value in rows]


def _beyond(prefix: str) -> str | None:
    """The least text greater than all that begin with `prefix`; None where nothing is."""
    stem = prefix.rstrip("\U0010ffff")
    if not stem:
        return None
    following = ord(stem[-1]) + 1
    # The code points of surrogates are no characters: the next one after U+D7FF is U+E000.
    return stem[:-1] + chr(0xE000 if following == 0xD800 else following)


def _decoder(kind: type[Any]) -> msgspec.msgpack.Decoder[Any]:
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.msgpack.Decoder(kind)
    return decoder


def _decoded(space: Space[T], value: bytes) -> T:
    try:
        decoded: T = _decoder(space.type).decode(value)
    except msgspec.DecodeError as error:
        raise StoreMismatch(
            f"a value in the space {space.name!r} is not what this Ambidex writes there ({error}); "
            "the file is damaged or another version shares it"
        ) from error
    return decoded

"""Reading the audit back: lines as they stand, from the store or from the files of an export."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from ambidex.audit.chain import LINES, head, position, settle
from ambidex.audit.errors import AuditMismatch
from ambidex.audit.files import log_files
from ambidex.audit.line import Line, decode
from ambidex.stores.base import Store, Tx

BATCH = 500


class AuditLog(Protocol):
    """Where lines can be read."""

    def end(self) -> int:
        """The position of the newest line; 0 if there is none."""

    def read(self, after: int = 0) -> Iterator[bytes]:
        """Lines behind that position, oldest first, as far as there are any now."""


class StoreLog:
    """The lines that are still in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def end(self) -> int:
        return self._store.run(_settled_end, lasting=False)

    def read(self, after: int = 0) -> Iterator[bytes]:
        upto = self.end()
        while after < upto:
            found = self._store.run(lambda tx: _page(tx, after), lasting=False)  # noqa: B023 - run at once
            if not found:
                return
            yield from (line for _, line in found)
            after = int(found[-1][0])


class FileLog:
    """The lines that were exported to a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def end(self) -> int:
        for path in reversed(log_files(self._directory)):
            if last := deque(_whole_lines(path), maxlen=1):
                return _seq(last[0])
        return 0

    def read(self, after: int = 0) -> Iterator[bytes]:
        for path in self._files_from(after):
            yield from (line for line in _whole_lines(path) if _seq(line) > after)

    def _files_from(self, after: int) -> list[Path]:
        """The files that may hold later lines: those before a file that begins early enough do not."""
        wanted: list[Path] = []
        for path in reversed(log_files(self._directory)):
            wanted.insert(0, path)
            first = next(_whole_lines(path), None)
            if first is not None and _seq(first) <= after + 1:
                break
        return wanted


def tail(log: AuditLog, n: int, *, keep: Callable[[Line], bool] | None = None) -> list[bytes]:
    """The newest `n` lines, oldest first; with `keep`, of those it wants."""
    if keep is None:
        return list(deque(log.read(max(0, log.end() - n)), maxlen=n))
    return list(deque((line for line in log.read() if keep(parsed(line))), maxlen=n))


def parsed(line: bytes) -> Line:
    """The line as an event."""
    try:
        return decode(line)
    except msgspec.MsgspecError as error:
        raise AuditMismatch(f"a line is not one of ours ({error}); run `ambidex audit verify`") from None


def _seq(line: bytes) -> int:
    return parsed(line).seq


def _whole_lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        # The last line may be half written at this moment.
        yield from (line[:-1] for line in file if line.endswith(b"\n"))


def _settled_end(tx: Tx) -> int:
    settle(tx)
    newest = head(tx)
    return 0 if newest is None else newest.seq


def _page(tx: Tx, after: int) -> list[tuple[str, bytes]]:
    return tx.scan(LINES, after=position(after), limit=BATCH)

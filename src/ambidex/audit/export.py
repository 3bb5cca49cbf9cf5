"""From the store to files, beside the calls and never in their way.

Every line is in the store before it is in a file, so a slow or full disk only makes the files late: the failure is
remembered, `healthy` turns false, and the next round tries again. Any number of workers may export the same store to
the same directory: a lock lets one at a time, and what the files already hold is read from the files, so a worker
killed anywhere leaves nothing missing and nothing twice. A store has one directory.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from ambidex.audit import anchors
from ambidex.audit.anchors import link
from ambidex.audit.chain import HEADS, LINES, NEWER, OLDER, ONLY, WAITING, Head, head, position, settle
from ambidex.audit.errors import AuditMismatch
from ambidex.audit.files import locked
from ambidex.audit.writer import LogWriter
from ambidex.stores.base import Space, Store, Tx
from ambidex.stores.clock import Moment, rfc3339

logger = logging.getLogger(__name__)

BATCH = 500
"""Lines of one step: a few milliseconds in the store, a few hundred kilobytes in memory."""


class Progress(msgspec.Struct, frozen=True):
    """How far the export has come."""

    done: int
    """Lines up to here are on disk, in files."""
    begun: int
    """Lines up to here may be."""


EXPORTS = Space("audit_export", Progress)
PRUNED = Space("audit_pruned", Head)
"""The last line that was removed from the store: what the first one left follows on."""

_NOTHING = Progress(0, 0)


class AuditExporter:
    """Use `drain` for one round, or `start` and `close` for a task that does it every `interval` seconds."""

    def __init__(
        self,
        store: Store,
        directory: Path,
        *,
        anchor_file: Path | None = None,
        rotate_bytes: int = 64 << 20,
        keep: int | None = None,
        anchor_every: int = 1000,
        interval: float = 0.25,
    ) -> None:
        self._store = store
        self._directory = directory
        self._anchor_file = anchor_file or directory / anchors.NAME
        self._rotate_bytes = rotate_bytes
        self._keep = keep
        self._anchor_every = anchor_every
        self._interval = interval
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.error: Exception | None = None
        """Why the last round failed, if it did."""

    @property
    def healthy(self) -> bool:
        return self.error is None

    def drain(self, *, last: bool = False) -> int:
        """Export what there is; how many lines that was. Never raises: see `error`.

        With `last` it waits for another worker's round to end, and anchors the end of the log.
        """
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            with locked(self._directory, wait=last) as ours:
                exported = self._export(1 if last else self._anchor_every) if ours else 0
        except Exception as error:  # whatever it is, no call may suffer from it
            if str(error) != str(self.error):
                logger.warning("the audit is not exported to %s: %s", self._directory, error)
            self.error = error
            return 0
        self.error = None
        return exported

    def lag(self) -> int:
        """Recorded events that are in no file yet."""
        return self._store.run(_lag, lasting=False)

    def prune(self, before: Moment) -> int:
        """Remove lines older than that from the store; how many. Lines that are in no file yet stay."""
        removed = 0
        while step := self._store.run(lambda tx: _prune(tx, rfc3339(before)), lasting=False):
            removed += step
        return removed

    def start(self) -> None:
        """Export from now on, in a thread of its own."""
        self._task = asyncio.create_task(self._rounds(), name="ambidex audit export")

    async def close(self) -> None:
        """Export the rest and anchor it."""
        self._closing.set()
        if self._task is not None:
            await self._task
        await asyncio.to_thread(self.drain, last=True)

    async def _rounds(self) -> None:
        while not self._closing.is_set():
            await asyncio.to_thread(self.drain)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), self._interval)

    def _export(self, anchor_every: int) -> int:
        end, done = self._store.run(_state, lasting=False)
        if end is None:
            return 0
        log = LogWriter(self._directory, self._anchor_file, end.stream, rotate_bytes=self._rotate_bytes)
        after = _resume(self._directory, log.end, done, end.seq)
        exported = 0
        while after < end.seq:
            lines = self._store.run(lambda tx: _take(tx, after))  # noqa: B023 - run before the next round
            log.append(lines)
            log.anchor(every=self._anchor_every)
            after = log.end
            exported += len(lines)
            self._store.run(lambda tx: tx.put(EXPORTS, ONLY, Progress(after, after)), lasting=False)  # noqa: B023
        log.anchor(every=anchor_every)
        if self._keep is not None:
            log.retire(self._keep)
        return exported


def progress(tx: Tx) -> Progress:
    return tx.get(EXPORTS, ONLY) or _NOTHING


def _state(tx: Tx) -> tuple[Head | None, int]:
    """The end of the chain and of the export. What waits is chained once all before it has left, and not earlier:
    in a memory store with a full disk this keeps the number of lines bounded."""
    end, done = head(tx), progress(tx).done
    if end is None or end.seq == done:
        settle(tx)
    return head(tx), done


def _resume(directory: Path, in_files: int, done: int, end: int) -> int:
    """The position to go on from. Files are ahead of the store's word after a crash, never behind it."""
    if in_files > end:
        raise AuditMismatch(
            f"{directory} holds {in_files} lines and the store only {end}: it is another store or an older copy of it; "
            "move the directory elsewhere and a new one is begun"
        )
    if 0 < in_files < done:
        raise AuditMismatch(
            f"{directory} ends at line {in_files}, but {done} had been written: some were removed; "
            "move the directory elsewhere and a new one is begun"
        )
    return max(in_files, done)


def _take(tx: Tx, after: int) -> list[bytes]:
    """The next lines. Saying how far they reach makes this a lasting write, and with it every line before it: a file
    must never hold a line that a power failure could still take out of the store."""
    found = tx.scan(LINES, after=position(after), limit=BATCH)
    if not found:
        raise AuditMismatch(f"the store has lost its lines from {after + 1} on; run `ambidex audit verify`")
    tx.put(EXPORTS, ONLY, Progress(progress(tx).done, int(found[-1][0])))
    return [line for _, line in found]


def _lag(tx: Tx) -> int:
    end = tx.get(HEADS, ONLY)
    waiting = sum(half.count for name in (OLDER, NEWER) if (half := tx.get(WAITING, name)) is not None)
    return (0 if end is None else end.seq) - progress(tx).done + waiting


def _prune(tx: Tx, before: str) -> int:
    done, end = progress(tx).done, head(tx)
    removed = 0
    for key, line in tx.scan(LINES, limit=BATCH):
        at = link(line)
        if at.seq > done or at.at >= before or end is None:
            break
        tx.delete(LINES, key)
        tx.put(PRUNED, ONLY, Head(at.seq, sha256(line).hexdigest(), end.stream))
        removed += 1
    return removed

"""Is the log whole? Reads it once from end to end, in constant memory, and names the first line that is wrong.

The chain alone shows every change but two: lines cut off at the end, and a change to the very last line. Anchors show
both up to the newest anchor, the store shows both up to now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ambidex.audit.chain import LINES, ONLY, Head, head, position, settle
from ambidex.audit.export import BATCH, PRUNED, progress
from ambidex.audit.files import log_files
from ambidex.audit.walk import Broken, Place, Raw, Walk
from ambidex.stores.base import Store, Tx

_LONGEST = 4 << 20
"""Bytes: no line of ours comes near, and a file without newlines must not fill the memory."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verifying found."""

    ok: bool
    lines: int
    """Good lines, up to the first that is not."""
    end: int
    """The position of the last good line."""
    first_bad: Place | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Ends:
    """What the store knows of the log."""

    head: Head | None
    exported: int
    pruned: Head | None


def verify(
    source: Path | Sequence[Path] = (), *, anchor_file: Path | None = None, store: Store | None = None
) -> Verdict:
    """Verify a directory, or files in their order, or the store alone.

    With a store, the files must reach as far as was exported, and go on in the store up to its end. Half a line at the
    end of the newest file is passed over: a writer is at work there, or died and the next export mends it.
    """
    # How far the files must reach is asked before they are listed, how far the store goes after they were read: all
    # of it only grows, so what is recorded meanwhile looks like nothing that was cut.
    before = store.run(_ends, lasting=False) if store else None
    walk = Walk(anchor_file)
    files = log_files(source) if isinstance(source, Path) else list(source)
    if not files and before is not None and before.pruned is not None:
        walk.start_behind(before.pruned)
    try:
        walk.follow(_from_files(files))
        if files and before is not None:
            walk.must_reach(before.exported, f"{before.exported} had been exported")
        if store is not None:
            _go_on(walk, store)
        walk.must_meet_every_anchor()
    except Broken as broken:
        return Verdict(False, walk.lines, walk.seq, broken.place, broken.reason)
    return Verdict(True, walk.lines, walk.seq)


def _go_on(walk: Walk, store: Store) -> None:
    end = store.run(_ends, lasting=False).head
    if end is not None:
        walk.follow(_from_store(store, walk.seq, end.seq))
    walk.must_end_in(end)


def _ends(tx: Tx) -> _Ends:
    settle(tx)
    return _Ends(head(tx), progress(tx).done, tx.get(PRUNED, ONLY))


def _from_files(files: Sequence[Path]) -> Iterator[Raw]:
    for path in files:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(_LONGEST):
                number += 1
                if line.endswith(b"\n"):
                    yield Raw(str(path), number, line[:-1])
                elif path is not files[-1] or len(line) == _LONGEST:
                    yield Raw(str(path), number, b"")


def _from_store(store: Store, after: int, upto: int) -> Iterator[Raw]:
    while after < upto:
        found = store.run(lambda tx: tx.scan(LINES, after=position(after), limit=BATCH), lasting=False)  # noqa: B023
        for key, line in found:
            after = int(key)
            if after <= upto:
                yield Raw("store", after, line)
        if not found:
            return

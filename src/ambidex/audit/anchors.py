"""Anchors: from time to time the end of the log is noted beside it, so that a cut tail shows.

An anchor follows from the line it names, so each one can be checked. Kept on another disk or another machine's mount,
they also show that a log was rewritten from end to end.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec

from ambidex.audit import files

NAME = "anchors.jsonl"


class Anchor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A line that the log must hold."""

    seq: int
    hash: str
    at: str
    """When the line was recorded."""
    stream: str
    elsewhere: bool = False
    """The log up to and with this line is no longer here, and rightly so: its files were retired, or the directory
    was begun later than the chain."""


class Link(msgspec.Struct, frozen=True):
    """What the chain needs to know of a line; everything else in it may be of another version."""

    seq: int
    prev: str
    at: str
    stream: str = ""


_links = msgspec.json.Decoder(Link)
_anchors = msgspec.json.Decoder(Anchor)


def link(line: bytes) -> Link:
    """Raises `msgspec.MsgspecError` when it is no line of a log."""
    return _links.decode(line)


def anchor_of(line: bytes, stream: str, *, elsewhere: bool = False) -> Anchor:
    at = link(line)
    return Anchor(seq=at.seq, hash=sha256(line).hexdigest(), at=at.at, stream=stream, elsewhere=elsewhere)


def before(first: Link, stream: str) -> Anchor:
    """Of the line in front of the first line of a directory; its own time is not known here."""
    return Anchor(seq=first.seq - 1, hash=first.prev, at=first.at, stream=stream, elsewhere=True)


def newest(path: Path) -> int:
    """The position that the last line of the file anchors; 0 if there is none."""
    if not path.exists():
        return 0
    try:
        return _anchors.decode(files.mend(path) or b"").seq
    except msgspec.MsgspecError:
        return 0  # altered, which `verify` tells; anchoring goes on behind it


def write(path: Path, anchors: list[Anchor]) -> None:
    """Add anchors and wait until the disk has them."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        files.create(path)
    files.append(path, b"".join(msgspec.json.encode(anchor) + b"\n" for anchor in anchors))


def read(path: Path) -> Iterator[tuple[int, Anchor | None]]:
    """Number of each line and its anchor; None for a line that holds none. One half written at the end is no line.

    What is added after this was called is not read: by then the log may have been looked at.
    """
    return _read(path, path.stat().st_size) if path.exists() else iter(())


def _read(path: Path, size: int) -> Iterator[tuple[int, Anchor | None]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            size -= len(line)
            if size < 0 or not line.endswith(b"\n"):
                return
            try:
                yield number, _anchors.decode(line)
            except msgspec.MsgspecError:
                yield number, None


def elsewhere(path: Path, seq: int) -> Anchor | None:
    """The anchor that says that the lines up to this one are rightly not here."""
    found = (anchor for _, anchor in read(path) if anchor and anchor.elsewhere and anchor.seq == seq)
    return next(found, None)

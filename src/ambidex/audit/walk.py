"""Following a chain line by line, beside its anchors, to the first thing that does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from ambidex.audit import anchors
from ambidex.audit.anchors import Anchor, Link, link
from ambidex.audit.chain import GENESIS, Head


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line stands."""

    file: str
    """Its path; for a line in the store, `store`."""
    line: int
    """Counted from 1; in the store, its position."""
    seq: int
    """The position in the chain that belongs there."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A line as it was found, without its newline."""

    file: str
    number: int
    line: bytes


class Broken(Exception):
    """The first thing that does not fit."""

    def __init__(self, place: Place, reason: str) -> None:
        self.place, self.reason = place, reason
        super().__init__(reason)


class Walk:
    """How far the chain is good. Give it the lines in order, then say where they must have led."""

    def __init__(self, anchor_file: Path | None) -> None:
        self._anchor_file = anchor_file
        self._anchors = _Anchors(anchor_file)
        self._stream = ""
        self._hash = GENESIS
        self._last: Raw | None = None
        self.seq = 0
        """The position of the last good line."""
        self.lines = 0

    def start_behind(self, before: Head) -> None:
        """Somebody trusted vouches for the chain up to there."""
        self._stream, self._hash, self.seq = before.stream, before.hash, before.seq
        self._anchors.after = before.seq

    def follow(self, lines: Iterator[Raw]) -> None:
        for raw in lines:
            found = self._parsed(raw)
            if self.seq == 0:
                self._begin(raw, found)
            self._check_order(raw, found)
            if found.prev != self._hash:
                raise self._mismatch(raw, next(lines, None))
            self._hash = sha256(raw.line).hexdigest()
            self.seq, self._last = found.seq, raw
            self._anchors.meet(self._here(), Anchor(seq=self.seq, hash=self._hash, at=found.at, stream=self._stream))
            self.lines += 1

    def must_reach(self, seq: int, reason: str) -> None:
        if self.seq < seq:
            raise Broken(self._next_place(), f"the log ends at {self.seq}, but {reason}: the end was cut off")

    def must_end_in(self, end: Head | None) -> None:
        """In the very line that the store holds to be the last."""
        if end is None:
            if self.seq:
                raise Broken(self._here(), f"the log has {self.seq} lines, and the store knows of none: another store")
            return
        self.must_reach(end.seq, f"the store knows {end.seq}")
        if self.seq > end.seq:
            raise Broken(self._here(), f"the store ends at {end.seq}: it is another store, or an older copy of it")
        if self._stream != end.stream:
            raise Broken(self._here(), "the log belongs to another store")
        if self._hash != end.hash:
            raise Broken(self._here(), "the last line was altered: the store holds another hash of it")

    def must_meet_every_anchor(self) -> None:
        ahead = self._anchors.ahead()
        if ahead is not None:
            self.must_reach(ahead[1].seq, f"{self._anchor_file}:{ahead[0]} knows {ahead[1].seq}")

    def _parsed(self, raw: Raw) -> Link:
        try:
            return link(raw.line)
        except msgspec.MsgspecError:
            raise Broken(
                Place(raw.file, raw.number, self.seq + 1), "this is no line of a log: it was altered"
            ) from None

    def _begin(self, raw: Raw, first: Link) -> None:
        """The first line is the first of its chain, or an anchor vouches for what was before."""
        if first.seq == 1:
            self._stream = first.stream
            return
        before = anchors.elsewhere(self._anchor_file, first.seq - 1) if self._anchor_file else None
        if before is None:
            reason = f"the log begins at {first.seq}, and no anchor says where the lines before it went"
            raise Broken(Place(raw.file, raw.number, 1), reason)
        self.start_behind(Head(before.seq, before.hash, before.stream))

    def _check_order(self, raw: Raw, found: Link) -> None:
        place = Place(raw.file, raw.number, self.seq + 1)
        if found.seq > place.seq:
            gap = str(place.seq) if found.seq == place.seq + 1 else f"{place.seq} to {found.seq - 1}"
            raise Broken(place, f"line {found.seq} stands where {gap} should be: missing, or moved")
        if found.seq < place.seq:
            raise Broken(place, f"line {found.seq} stands where {place.seq} should be: repeated, or moved")
        if bool(found.stream) != (found.seq == 1):
            raise Broken(place, "only the first line of a chain names the chain: it was altered")

    def _mismatch(self, raw: Raw, following: Raw | None) -> Broken:
        """Of two lines that do not fit together, the one that was altered. The second is as it was written if the line
        after it follows on it, or, where there is none, if its anchor knows it."""
        second = Place(raw.file, raw.number, self.seq + 1)
        if self._last is None:
            return Broken(second, "it does not follow on what comes before it: another chain, or altered")
        known = self._anchors.hash_of(second.seq) if following is None else _prev(following)
        if known is not None and known != sha256(raw.line).hexdigest():
            return Broken(second, "altered: it fits neither what comes before it nor what comes after it")
        return Broken(self._here(), "altered: the next line holds another hash of it")

    def _here(self) -> Place:
        assert self._last is not None
        return Place(self._last.file, self._last.number, self.seq)

    def _next_place(self) -> Place:
        if self._last is None:
            return Place("", 1, self.seq + 1)
        return Place(self._last.file, self._last.number + 1, self.seq + 1)


class _Anchors:
    """The anchors of a log, in step with its lines."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._rest = anchors.read(path) if path else iter(())
        self._ahead: tuple[int, Anchor] | None = None
        self.after = 0
        """Anchors up to here are of lines that are no longer in the log."""

    def meet(self, place: Place, line: Anchor) -> None:
        """Compare the line with what its anchor says."""
        while (ahead := self.ahead()) is not None and ahead[1].seq <= line.seq:
            if ahead[1] != line:
                raise Broken(place, f"{self._path}:{ahead[0]} says otherwise: this line or that anchor was altered")
            self._ahead = None

    def hash_of(self, seq: int) -> str | None:
        """What the next anchor says of this line, if it is about it."""
        ahead = self.ahead()
        return ahead[1].hash if ahead is not None and ahead[1].seq == seq else None

    def ahead(self) -> tuple[int, Anchor] | None:
        """The next anchor and the number of its line."""
        while self._ahead is None and (found := next(self._rest, None)) is not None:
            number, anchor = found
            if anchor is None:
                raise Broken(Place(str(self._path), number, 0), "this is no anchor: it was altered")
            if anchor.seq > self.after and not anchor.elsewhere:
                self._ahead = number, anchor
        return self._ahead


def _prev(raw: Raw) -> str | None:
    try:
        return link(raw.line).prev
    except msgspec.MsgspecError:
        return None

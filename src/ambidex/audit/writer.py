"""The files of a log, opened for writing by whoever holds its lock: continue, rotate, anchor, retire."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec

from ambidex.audit import anchors, files
from ambidex.audit.anchors import Anchor, anchor_of, link
from ambidex.audit.errors import AuditMismatch

_ADVICE = "run `ambidex audit verify`, then move the directory elsewhere and a new one is begun"


class LogWriter:
    """One directory, for the time of one export. Opening it mends what a crash left half written."""

    def __init__(self, directory: Path, anchor_file: Path, stream: str, *, rotate_bytes: int) -> None:
        self._directory = directory
        self._anchor_file = anchor_file
        self._stream = stream
        self._rotate_bytes = rotate_bytes
        self._files = files.log_files(directory)
        self._last = self._last_line()
        self._anchored = anchors.newest(anchor_file)
        self._due: list[Anchor] = []

    @property
    def end(self) -> int:
        """The position of the last line; 0 in a new directory."""
        return 0 if self._last is None else self._seq(self._last)

    def append(self, lines: list[bytes]) -> None:
        """Add lines that continue the log; when this returns they are on the disk."""
        self._check_continues(lines[0])
        size, chunk = self._size(), list[bytes]()
        for line in lines:
            full = size > 0 and size + len(line) + 1 > self._rotate_bytes
            if full or not self._files:
                self._flush(chunk)
                self._rotate()
                size, chunk = 0, []
            chunk.append(line)
            size += len(line) + 1
            self._last = line
        self._flush(chunk)

    def anchor(self, *, every: int) -> None:
        """Note the end of the log if so many lines have come since it was last noted, and what else is due."""
        if self._last is not None and self.end - self._anchored >= every:
            self._due.append(anchor_of(self._last, self._stream))
        if self._due:
            anchors.write(self._anchor_file, self._due)
            self._anchored = self._due[-1].seq
            self._due = []

    def retire(self, keep: int) -> None:
        """Remove the oldest files beyond `keep`, leaving a word of it: without one it would look like theft."""
        while len(self._files) > max(keep, 1):
            oldest = self._files.pop(0)
            last = files.mend(oldest)
            if last is not None:
                anchors.write(self._anchor_file, [anchor_of(last, self._stream, elsewhere=True)])
            oldest.unlink()
            files.sync_directory(self._directory)  # in order, or a power failure could bring back an older one alone

    def _last_line(self) -> bytes | None:
        # A crash between creating a file and filling it leaves an empty one at the end.
        return next((line for path in reversed(self._files) if (line := files.mend(path)) is not None), None)

    def _seq(self, line: bytes) -> int:
        try:
            return link(line).seq
        except msgspec.MsgspecError:
            raise AuditMismatch(f"{self._files[-1]} ends in something that is no line of a log; {_ADVICE}") from None

    def _check_continues(self, line: bytes) -> None:
        first = link(line)
        if self._last is None:
            if first.seq > 1:
                self._due.append(anchors.before(first, self._stream))
        elif first.prev != sha256(self._last).hexdigest():
            raise AuditMismatch(
                f"{self._files[-1]} ends at {self.end} in a line that the store does not continue; {_ADVICE}"
            )

    def _size(self) -> int:
        return self._files[-1].stat().st_size if self._files else 0

    def _flush(self, chunk: list[bytes]) -> None:
        if chunk:
            files.append(self._files[-1], b"\n".join(chunk) + b"\n")

    def _rotate(self) -> None:
        if self._last is not None:
            self._due.append(anchor_of(self._last, self._stream))
        path = self._directory / files.next_name(self._files[-1] if self._files else None)
        files.create(path)
        self._files.append(path)

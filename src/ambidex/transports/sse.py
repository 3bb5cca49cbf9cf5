"""Server-sent events, read from bytes as they come. Lines end in LF, CRLF or CR; a chunk may end anywhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

MOST_BYTES = 16 << 20
"""Of one event; a stream that goes beyond is broken, or means harm."""


class BrokenStream(Exception):
    """Bytes that are no event stream."""


@dataclass(frozen=True, slots=True)
class Event:
    name: str
    """What `event:` says; empty where there is none."""
    data: bytes


@dataclass(slots=True)
class _Reader:
    """Lines so far, and the event they are making."""

    rest: bytearray = field(default_factory=bytearray)
    name: str = ""
    lines: list[bytes] = field(default_factory=list)
    size: int = 0
    after_cr: bool = False
    """The last line ended in CR: an LF that comes first now belongs to it."""

    def feed(self, chunk: bytes) -> list[Event]:
        if self.after_cr and chunk[:1] == b"\n":
            chunk = chunk[1:]
        self.after_cr = chunk.endswith(b"\r") if chunk else self.after_cr
        self.rest += chunk
        if len(self.rest) + self.size > MOST_BYTES:
            raise BrokenStream("an event is larger than any should be")
        if b"\n" not in chunk and b"\r" not in chunk:
            return []
        *lines, self.rest = self.rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        return [event for line in lines if (event := self._line(bytes(line))) is not None]

    def _line(self, line: bytes) -> Event | None:
        if not line:
            return self._event()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self.lines.append(value)
            self.size += len(value)
        elif name == b"event":
            self.name = value.decode(errors="replace")
        return None

    def _event(self) -> Event | None:
        made = Event(self.name, b"\n".join(self.lines)) if self.lines else None
        self.name, self.lines, self.size = "", [], 0
        return made


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncIterator[Event]:
    """Events in the order sent. One that its blank line never ended is not an event."""
    reader = _Reader()
    async for chunk in chunks:
        for event in reader.feed(chunk):
            yield event

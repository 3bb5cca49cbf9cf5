"""Bytes of a file, and text of bytes: carefully, since a folder may hold anything."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from ambidex.capabilities.kb.importing.told import Unfit

_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_SAVE = "save it as UTF-8"


@dataclass(frozen=True, slots=True)
class OpenFile:
    """An open file, behind its byte order mark."""

    stream: BinaryIO
    size: int
    modified: str
    """RFC 3339, UTC."""


@contextmanager
def opened(path: Path) -> Iterator[OpenFile]:
    """`Unfit` when it cannot be read, is no regular file or holds no text."""
    try:
        # A regular file was found; O_NONBLOCK keeps a FIFO put there since from hanging us.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise Unfit(f"cannot be read: {error.strerror}; mend its permissions") from None
    with open(handle, "rb") as stream:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):
            raise Unfit("is no regular file any more; look what happens to it and import again")
        _past_the_mark(stream)
        yield OpenFile(stream, info.st_size, _instant(info.st_mtime))


def text_of(data: bytes, *, first_line: int = 1) -> str:
    """`Unfit` with the line of the first byte that is no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        raise Unfit(f"is not UTF-8 (byte 0x{data[error.start]:02x}); {_SAVE}", line) from None


def _past_the_mark(stream: BinaryIO) -> None:
    start = stream.read(8192)
    if start.startswith(_UTF_16):
        raise Unfit(f"is UTF-16; {_SAVE}")
    if b"\0" in start:
        raise Unfit("is a binary file, whatever its name says; remove or rename it")
    stream.seek(len(_BOM) if start.startswith(_BOM) else 0)


def _instant(seconds: float) -> str:
    """A file dated before the year 1 or after 9999 counts as made when time began for computers."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return "1970-01-01T00:00:00Z"

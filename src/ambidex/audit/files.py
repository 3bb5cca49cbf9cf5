"""Append-only files: whole lines, on the disk before anybody is told, mended after a crash, one writer at a time."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = re.compile(r"audit-(\d{6,})\.jsonl")
_CHUNK = 1 << 16


def log_files(directory: Path) -> list[Path]:
    """The files of a log in the order in which they were written."""
    found = [(int(match[1]), path) for path in directory.iterdir() if (match := _NAME.fullmatch(path.name))]
    return [path for _, path in sorted(found)]


def next_name(newest: Path | None) -> str:
    match = _NAME.fullmatch(newest.name) if newest else None
    return f"audit-{int(match[1]) + 1 if match else 1:06d}.jsonl"


@contextmanager
def locked(directory: Path, *, wait: bool = False) -> Iterator[bool]:
    """Whether the log in this directory is ours to write. The lock falls with the process, however it dies."""
    lock = os.open(directory / ".lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(lock)


def create(path: Path) -> None:
    """An empty file that is still there after a power failure."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def append(path: Path, data: bytes) -> None:
    """Write at the end and wait until the disk has it. What a failure leaves behind is mended by `mend`."""
    handle = os.open(path, os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def mend(path: Path) -> bytes | None:
    """Cut off a last line that was never finished, and return the last whole one, without its newline."""
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        end = _after_newline_before(file.fileno(), size)
        if end < size:
            file.truncate(end)
            os.fsync(file.fileno())
        if end == 0:
            return None
        start = _after_newline_before(file.fileno(), end - 1)
        return os.pread(file.fileno(), end - 1 - start, start)


def _after_newline_before(handle: int, end: int) -> int:
    """The place just behind the last newline in front of `end`, or 0."""
    while end > 0:
        start = max(0, end - _CHUNK)
        found = os.pread(handle, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0

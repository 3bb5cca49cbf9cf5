"""The right to write: an operating system's lock on a file beside the database.

The system gives it back when the process ends, however it ends; what the file says is only for people.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from ambidex.capabilities.kb.engine import WriterBusy

_LOOK_AGAIN_SECONDS = 0.02


@contextmanager
def only_writer(path: Path, *, wait_seconds: float) -> Iterator[None]:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        _take(file, time.monotonic() + wait_seconds)
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()} {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}\n".encode(), 0)
        yield
    finally:
        os.close(file)


def _take(file: int, until: float) -> None:
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() >= until:
                raise _busy(os.pread(file, 100, 0)) from None
        time.sleep(_LOOK_AGAIN_SECONDS)


def _busy(said: bytes) -> WriterBusy:
    match said.decode(errors="replace").split():
        case [pid, since] if pid.isdigit():
            return WriterBusy(int(pid), since)
        case _:
            return WriterBusy(None, None)

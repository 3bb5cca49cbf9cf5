"""The stores that must keep the contract, and what their tests share. A new back end is one more line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from ambidex.stores.base import Space, Store
from ambidex.stores.clock import Clock, Moment
from ambidex.stores.memory import MemoryStore
from ambidex.stores.sqlite import SqliteStore

BACK_ENDS: dict[str, Callable[[Path, Clock | None], Store]] = {
    "memory": lambda folder, clock: MemoryStore(clock),
    "sqlite": lambda folder, clock: SqliteStore(folder / "store.db", clock),
}
DURABLE = ["sqlite"]
"""Those that several processes share; they must also keep the promises of test_durable.py."""


class Note(msgspec.Struct, frozen=True):
    """A value with something of every kind that the pipeline stores."""

    text: str
    count: int = 0
    raw: bytes = b""
    ratio: float | None = None
    tags: tuple[str, ...] = ()
    facts: dict[str, int] = {}
    at: Moment | None = None


NOTES = Space("notes", Note)
NUMBERS = Space("numbers", int)


class HandClock:
    """A clock that goes only when told to."""

    def __init__(self) -> None:
        self.wall = 1_700_000_000_000
        self.mono = 1_000

    def moment(self) -> Moment:
        return Moment(self.wall, self.mono, "boot")

    async def sleep(self, seconds: float) -> None:
        self.wall += int(seconds * 1000)
        self.mono += int(seconds * 1000)


def start_python(program: str, *arguments: str) -> subprocess.Popen[str]:
    """Another process, which talks to its parent in lines."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def run_python(program: str, *arguments: str) -> str:
    """What another process printed; it must have ended well."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

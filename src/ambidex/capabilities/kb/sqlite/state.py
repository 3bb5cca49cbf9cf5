"""The few facts about the whole base: one row each, read at the start of every search."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class State:
    derived: int = 0
    """The version of how passages and indexes were made."""
    change: int = 0
    """Counts up with every change of a record."""
    serving: int | None = None
    """The embedder whose vectors are searched."""
    wanted: int | None = None
    """The embedder whose vectors are being made."""
    generation: int = 0
    """Of the vector file: a new number is a new file."""
    slots: int = 0
    """Rows of the vector file that count; what lies beyond was never committed."""
    tagged: int = 0
    """Pairs of slot and tag in it that count."""
    ordered: int = 0
    """Slots at its beginning that lie in order; those after them are as they came."""
    dead: int = 0
    """Slots whose passage is gone or has moved to another slot."""
    tantivy: int = 0
    """Whether a tantivy index is kept beside the file."""


def read_state(link: sqlite3.Connection) -> State:
    return State(**dict(link.execute("SELECT key, value FROM state").fetchall()))


def write_state(link: sqlite3.Connection, **facts: Any) -> None:
    link.executemany("INSERT OR REPLACE INTO state VALUES (?, ?)", list(facts.items()))

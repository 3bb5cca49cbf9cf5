"""Vectors into slots of the vector file, and the file made anew. The writer calls; transactions are its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ambidex.capabilities.kb.record import TYPES
from ambidex.capabilities.kb.sqlite.keeping import tags_of
from ambidex.capabilities.kb.sqlite.state import State, read_state, write_state

if TYPE_CHECKING:
    from ambidex.capabilities.kb.sqlite.vector_file import Extent, VectorFile

_BATCH = 4_096
TYPE_CODES = {name: code for code, name in enumerate(TYPES, 1)}
_PLACES = """
    SELECT p.id, p.record, r.updated, n.code, r.type, v.vector FROM {source} s
    CROSS JOIN passages p ON p.id = s.passage CROSS JOIN records r ON r.row = p.record
    CROSS JOIN namespaces n ON n.name = r.namespace CROSS JOIN vectors v ON v.embedder = ? AND v.passage = p.id
"""
_Place = tuple[int, int, int, int, str, bytes]


@cache
def numpy_installed() -> bool:
    return find_spec("numpy") is not None


def vector_file(link: sqlite3.Connection, folder: Path, state: State) -> VectorFile | None:
    """The file that serves; None while there are no vectors, or nothing to read them with."""
    if state.serving is None or not numpy_installed():
        return None
    from ambidex.capabilities.kb.sqlite.vector_file import VectorFile

    dim: int = link.execute("SELECT dim FROM embedders WHERE number = ?", (state.serving,)).fetchone()[0]
    return VectorFile(folder, state.generation, dim)


def place_waiting(link: sqlite3.Connection, folder: Path) -> None:
    """Give a slot to every passage that has a vector and waits for one."""
    state = read_state(link)
    if state.serving is not None:
        rows = link.execute(_PLACES.format(source="unplaced"), (state.serving,)).fetchall()
        _append(link, folder, state, rows)
    link.execute("DELETE FROM unplaced")


def rebuild(link: sqlite3.Connection, folder: Path) -> None:
    """A new generation of the file, from the vectors in the database."""
    state = read_state(link)
    link.execute("UPDATE passages SET slot = NULL WHERE slot IS NOT NULL")
    write_state(link, generation=state.generation + 1, slots=0, tagged=0, ordered=0, dead=0)
    link.execute("DELETE FROM unplaced")
    if state.serving is None:
        return
    every = "(SELECT passage FROM vectors WHERE embedder = ?)"
    for rows in _batches(link.execute(_PLACES.format(source=every), (state.serving, state.serving))):
        _append(link, folder, read_state(link), rows)


def whole(link: sqlite3.Connection, folder: Path, state: State) -> bool:
    """Whether the file is there as the database says."""
    if state.slots == 0:
        return True
    file = vector_file(link, folder, state)
    return file is not None and file.holds(extent(state))


def extent(state: State) -> Extent:
    from ambidex.capabilities.kb.sqlite.vector_file import Extent

    return Extent(state.slots, state.tagged)


def _append(link: sqlite3.Connection, folder: Path, state: State, rows: Sequence[_Place]) -> None:
    import numpy as np

    from ambidex.capabilities.kb.sqlite.vector_file import Fact

    file = vector_file(link, folder, state)
    if not rows or file is None:
        return
    vectors = np.frombuffer(b"".join(row[5] for row in rows), np.float16).reshape(len(rows), file.dim)
    tags = {record: tags_of(link, record) for record in {row[1] for row in rows}}
    facts = [
        Fact(passage, record, updated, code, TYPE_CODES[kind], tags[record])
        for passage, record, updated, code, kind, _ in rows
    ]
    end = file.write(extent(state), vectors.astype(np.float32), facts)
    slots = [(state.slots + number, row[0]) for number, row in enumerate(rows)]
    link.executemany("UPDATE passages SET slot = ? WHERE id = ?", slots)
    write_state(link, slots=end.slots, tagged=end.tags)


def _batches(rows: Iterable[_Place]) -> Iterator[list[_Place]]:
    rows = iter(rows)
    while batch := list(islice(rows, _BATCH)):
        yield batch

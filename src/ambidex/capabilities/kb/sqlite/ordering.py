"""The vector file put in order: slots of one namespace lie together, and in it those of one type.

A filter that names a namespace then leaves long runs, and a run is read as it lies, without gathering. New slots are
appended wherever they belong, and are put in order once they are many.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ambidex.capabilities.kb.sqlite import placing
from ambidex.capabilities.kb.sqlite.state import State, read_state, write_state

FEW_DEAD = 1_000
FEW_TRAILING = 10_000
"""Appended slots that cost no search a millisecond."""


def due(link: sqlite3.Connection, state: State) -> bool:
    """While vectors are being made only when the file has doubled, so that none is moved again and again."""
    if state.dead > max(FEW_DEAD, state.slots // 4):
        return True
    trailing = state.slots - state.ordered
    if trailing <= FEW_TRAILING:
        return False
    more_come = link.execute("SELECT 1 FROM unembedded LIMIT 1").fetchone() is not None
    return trailing > state.slots // (2 if more_come else 8)


def arrange(link: sqlite3.Connection, folder: Path) -> None:
    """A new generation of the file, in order and without dead slots. The database says which ones live."""
    state = read_state(link)
    file = placing.vector_file(link, folder, state)
    if file is None:
        return
    import numpy as np

    from ambidex.capabilities.kb.sqlite.vector_file import VectorFile

    slots = file.map(placing.extent(state))
    kinds = np.dtype([("passage", np.int64), ("slot", np.int64)])
    rows = link.execute("SELECT id, slot FROM passages WHERE slot IS NOT NULL ORDER BY id")
    living = np.fromiter(rows, kinds)
    at = living["slot"]
    order = np.lexsort((at, slots.type[at], slots.namespace[at]))
    end = VectorFile(folder, state.generation + 1, file.dim).rearrange(slots, at[order])
    now = np.empty_like(order)
    now[order] = np.arange(len(order))
    moves = zip(now.tolist(), living["passage"].tolist(), strict=True)
    link.executemany("UPDATE passages SET slot = ? WHERE id = ?", moves)
    write_state(link, generation=state.generation + 1, slots=end.slots, tagged=end.tags, ordered=end.slots, dead=0)

"""The end of writing: what readers search is brought in step with the records."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ambidex.capabilities.kb.search.passages import passages
from ambidex.capabilities.kb.sqlite import ordering, placing, tantivy_index
from ambidex.capabilities.kb.sqlite.conditions import folded
from ambidex.capabilities.kb.sqlite.keeping import all_records
from ambidex.capabilities.kb.sqlite.state import read_state, write_state

TANTIVY_FROM = 20_000
"""Records from which FTS5 becomes slow enough for a second index to pay."""


def tidy(link: sqlite3.Connection, folder: Path) -> None:
    """Vectors into their slots, and a new vector file when the old one is damaged, out of order or full of gaps."""
    state = read_state(link)
    if state.serving is None or not placing.numpy_installed():
        return
    if placing.whole(link, folder, state):
        placing.place_waiting(link, folder)
    else:
        placing.rebuild(link, folder)
    if ordering.due(link, read_state(link)):
        ordering.arrange(link, folder)


def remove_old_files(link: sqlite3.Connection, folder: Path) -> None:
    file = placing.vector_file(link, folder, read_state(link))
    if file is not None:
        file.remove_others()


def catch_up(link: sqlite3.Connection, folder: Path) -> None:
    """Bring the tantivy index to the last change, if the base is large enough to have one."""
    state = read_state(link)
    records = link.execute("SELECT count(*) FROM records").fetchone()[0]
    if records <= TANTIVY_FROM or not tantivy_index.installed():
        if state.tantivy:
            forget_tantivy(link, folder)
        link.execute("DELETE FROM gone")
        return
    home = tantivy_folder(folder)
    done = tantivy_index.applied(home) if state.tantivy else None
    if done == state.change:
        return
    if done is None:
        tantivy_index.remove(home)
    with tantivy_index.updating(home, change=state.change) as updates:
        if done is not None:
            changed = "SELECT row FROM records WHERE change > ?1 UNION SELECT row FROM gone WHERE change > ?1"
            updates.drop(row for (row,) in link.execute(changed, (done,)).fetchall())
        updates.add(_entries(link, done or 0))
    link.execute("DELETE FROM gone WHERE change <= ?", (state.change,))
    write_state(link, tantivy=1)


def forget_tantivy(link: sqlite3.Connection, folder: Path) -> None:
    write_state(link, tantivy=0)
    tantivy_index.remove(tantivy_folder(folder))


def tantivy_folder(folder: Path) -> Path:
    return folder / f"tantivy-{tantivy_index.VERSION}"


def _entries(link: sqlite3.Connection, after: int) -> Iterator[tantivy_index.Entry]:
    for row, updated, record in all_records(link, after_change=after):
        tags = tuple(dict.fromkeys(map(folded, record.tags)))
        listed = dict(passages(record.text))
        for number, start in link.execute("SELECT id, start FROM passages WHERE record = ?", (row,)):
            if start not in listed:
                continue
            text = "\n".join((record.title, record.text[start : listed[start]], " ".join(record.tags)))
            yield tantivy_index.Entry(row, number, text, record.namespace, record.type, updated, tags)

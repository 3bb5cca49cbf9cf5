"""However files change, an import with pruning leaves what a fresh import would: ids swap, rows move, files go."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.soak import soak

from ambidex.capabilities.kb.engine import Engine
from ambidex.capabilities.kb.importing.importer import Importer
from ambidex.capabilities.kb.sqlite.engine import open_kb

IDS = [f"doc:{letter}" for letter in "abcde"]
PLACES = ["one.md", "two.md", "three.md", "rows.jsonl", "more.jsonl"]

states = st.dictionaries(st.sampled_from(IDS), st.tuples(st.sampled_from(PLACES), st.integers(0, 1)), max_size=5)
"""Id -> where it stands, and a version of its text."""


def write(folder: Path, state: dict[str, tuple[str, int]]) -> set[tuple[str, str]]:
    """The files of a state; a Markdown file holds the last id it was given. What must be in the base afterwards."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    files: dict[str, list[tuple[str, str]]] = {}
    for id, (place, version) in state.items():
        files.setdefault(place, []).append((id, f"version {version}"))
    expected = set()
    for place, held in files.items():
        held = held[-1:] if place.endswith(".md") else held
        expected |= set(held)
        (folder / place).write_text("".join(_entry(place, id, text) for id, text in held))
    return expected


def _entry(place: str, id: str, text: str) -> str:
    if place.endswith(".md"):
        return f"---\nid: {id}\ntitle: T\n---\n{text}\n"
    return json.dumps({"id": id, "title": "T", "text": text}) + "\n"


def held(engine: Engine) -> set[tuple[str, str]]:
    return {(record.id, record.text) for record in engine.get(IDS, namespaces=("studio",))}


@settings(max_examples=soak(25, 500), deadline=None)
@given(st.lists(states, min_size=2, max_size=4))
def test_an_import_with_pruning_leaves_what_a_fresh_one_would(sequence: list[dict[str, tuple[str, int]]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        notes = Path(name) / "notes"
        engine = open_kb(Path(name) / "kb.sqlite3")
        for state in sequence:
            expected = write(notes, state)
            with engine.writer() as writer:
                summary = Importer(writer, Path(name)).run([str(notes)], prune=True)
            assert summary.refused == []
            assert held(engine) == expected
            assert summary.added + summary.changed + summary.unchanged == len(expected)
        engine.close()

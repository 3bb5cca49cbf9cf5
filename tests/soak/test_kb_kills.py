"""`kill -9` during imports, at random points: the base opens, search is right about it, the next import completes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from tests.support.soak import soak

from ambidex.capabilities.kb.engine import Engine
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.sqlite.engine import open_kb

EVERYTHING = Filters(("studio",))
MAIN = "from ambidex.cli.main import main; main()"


def _write_notes(folder: Path, rows: int, luck: Random) -> dict[str, str]:
    """Files of every kind; each record's id and a word that no other has."""
    (folder / "notes").mkdir()
    words = {f"doc:note-{number}": f"singular{number}" for number in range(rows)}
    filler = [f"word{number}" for number in range(500)]
    made = {id: f"{word} {' '.join(luck.choices(filler, k=40))}" for id, word in words.items()}
    lines = [f'{{"id": "{id}", "title": "A note", "text": "{text}"}}\n' for id, text in made.items()]
    (folder / "notes" / "rows.jsonl").write_text("".join(lines[rows // 10 : -rows // 10]))
    for id, text in list(made.items())[: rows // 10]:
        (folder / "notes" / f"{id.removeprefix('doc:')}.md").write_text(f"# A note\n\n{text}\n")
    cells = [f"{id},A note,{text}\n" for id, text in list(made.items())[-rows // 10 :]]
    (folder / "notes" / "table.csv").write_text("id,title,text\n" + "".join(cells))
    return words


def _start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, "kb", "import", "notes", "--no-embed", "--prune"],
        cwd=folder,
        env={**os.environ, "AMBIDEX_KB_EMBEDDER": "none"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _killed(folder: Path, engine: Engine, beyond: int, luck: Random) -> bool:
    """Killed once more than so many records were in, at whatever it did just then; False when it ended before."""
    importer = _start(folder)
    while engine.stats().records <= beyond and importer.poll() is None:
        time.sleep(luck.uniform(0, 0.004))  # a kill is meant to come at any moment; nothing is asserted about when
    time.sleep(luck.uniform(0, 0.03))
    importer.send_signal(signal.SIGKILL)
    importer.communicate()
    return importer.returncode == -signal.SIGKILL


def _check(base: Path, words: dict[str, str], luck: Random) -> int:
    """A fresh look: what is in is found by its word, and what is not, is not."""
    engine = open_kb(base)
    there = {record.id for record in engine.get(list(words), namespaces=("studio",))}
    assert engine.stats().records == len(there)
    for id in luck.sample(sorted(words), 60):
        found = [hit.record.id for hit in engine.search(words[id], EVERYTHING, top_k=3).hits]
        assert found == ([id] if id in there else []), f"{id} is {'there' if id in there else 'not there'}"
    engine.close()
    return len(there)


def _spoil(folder: Path, luck: Random) -> None:
    """Touch a third of the files, so that the next import replaces records as well as adding them."""
    for note in luck.sample(sorted((folder / "notes").glob("*.md")), 20):
        note.write_text(note.read_text() + "\nMore.\n")


def test_killed_imports_leave_a_base_that_is_right_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    luck, kills, base = Random(5), soak(4, 20), tmp_path / ".ambidex" / "kb.sqlite3"
    rows = 400 * kills
    words = _write_notes(tmp_path, rows, luck)
    engine = open_kb(base)
    hit = 0
    for number in range(kills):
        hit += _killed(tmp_path, engine, engine.stats().records + luck.randrange(0, rows // kills), luck)
        there = _check(base, words, luck)
        _spoil(tmp_path, luck)
        with capsys.disabled():
            print(f"\n  kill {number + 1}: {there} of {rows} records in", end="")
    engine.close()

    last = _start(tmp_path)
    told = last.communicate()[0]
    assert last.returncode == 0, told
    assert "0 refused" in told
    assert _check(base, words, luck) == rows
    with capsys.disabled():
        print(f"\nimports: {hit} of {kills} killed on the way; then: {told.strip()}")
    assert hit > kills // 2, "the kills missed: the imports were over before"

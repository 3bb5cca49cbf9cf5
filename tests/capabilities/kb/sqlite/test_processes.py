"""Several processes read while one writes: every answer is right about some moment, and the end is seen by all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.capabilities.kb.sqlite.bases import WordHashes, base, record

from ambidex.capabilities.kb.background import Embedding

MANY = 60
READER = """
import sys
from tests.capabilities.kb.sqlite.bases import WordHashes
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.sqlite.engine import open_kb

engine = open_kb(sys.argv[1], embedder=WordHashes())
print("ready", flush=True)
seen = 0
while True:
    found = engine.search("pebble", Filters(("studio",)), top_k=100)
    assert all("pebble" in hit.record.text for hit in found.hits), found
    assert len(found.hits) >= seen, (len(found.hits), seen)
    seen = len(found.hits)
    if seen == int(sys.argv[2]) and engine.stats().pending == 0 and engine.stats().wanted:
        print("all", sum(hit.similarity is not None for hit in found.hits), flush=True)
        break
"""


def test_three_readers_follow_a_writer(tmp_path: Path) -> None:
    kb = base(tmp_path, record("doc:d0", "pebble"))
    command = [sys.executable, "-c", READER, str(kb.path), str(MANY)]
    readers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    try:
        for reader in readers:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "ready\n"
        for number in range(1, MANY):
            with kb.writer(wait_seconds=20) as writer:
                writer.put([record(f"doc:d{number}", f"pebble {number}")], origin=str(number), digest="1")
        Embedding(kb, WordHashes()).run()
        for reader in readers:
            out, _ = reader.communicate(timeout=60)
            assert (reader.returncode, out.split()[0]) == (0, "all")
    finally:
        for reader in readers:
            reader.kill()
            reader.wait()

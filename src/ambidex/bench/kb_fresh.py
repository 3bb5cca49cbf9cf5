"""A process that has done nothing before opens an existing base: how long until its first answer, and its memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_RUNS = 3
_OPEN = """
import json, pathlib, random, sys, time
began = time.perf_counter()
from ambidex.bench.kb_records import embedder_for, question, some_filters
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.sqlite.engine import open_kb
imported = time.perf_counter()
embedder = embedder_for(int(sys.argv[2]))
embedder.embed_query("kiln")
ready = time.perf_counter()
engine = open_kb(sys.argv[1], embedder=embedder)
engine.search("kiln", Filters(("studio",)))
opened = time.perf_counter()
dice = random.Random(8)
for _ in range(50):
    engine.search(question(dice), some_filters(dice))
proc = pathlib.Path("/proc/self/status")  # only Linux tells
status = dict(line.split(":", 1) for line in proc.read_text().splitlines()) if proc.exists() else {}
told = {name: int(status.get(name, "0 kB").split()[0]) * 1024 for name in ("RssAnon", "RssFile")}
print(json.dumps({"modules": imported - began, "model": ready - imported, "open": opened - ready, **told}))
"""


def fresh(path: Path, size: int) -> dict[str, Any]:
    """The best of a few runs; modules and model are told apart, since they are the same for an empty base."""
    command = [sys.executable, "-c", _OPEN, str(path), str(size)]
    runs = [json.loads(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(_RUNS)]
    best = {name: min(run[name] for run in runs) for name in runs[0]}
    return {
        "openSeconds": best["open"],
        "importModulesSeconds": best["modules"],
        "loadModelSeconds": best["model"],
        "memoryBytes": best["RssAnon"],
        "mappedBytes": best["RssFile"],
    }

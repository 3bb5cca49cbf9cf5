"""`ambidex bench registry`: what building and loading cost at 1 to 10,000 tools, beside a floor that only decodes.

Loading is measured in fresh processes, as CPU seconds: that is what a server pays before its first session.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ambidex.bench.generate import generate
from ambidex.compiler.compile import build

SIZES = (1, 100, 1_000, 10_000)
GOALS: dict[int, dict[str, float]] = {
    1_000: {"buildColdSeconds": 3.0, "buildOneChangedSeconds": 0.3, "importLoadSeconds": 0.12},
    10_000: {"importLoadSeconds": 0.25},
}
"""What the project holds itself to, in seconds."""

Progress = Callable[[str], None]

_FLOOR = """
import time, sys
start = time.process_time()
import orjson
with open(sys.argv[1], "rb") as file:
    value = orjson.loads(file.read())
took = time.process_time() - start
"""
_LOAD = """
import time, sys
start = time.process_time()
import ambidex
ambidex.load
imported = time.process_time()
registry = ambidex.load(sys.argv[1])
took = time.process_time() - start
"""
_LISTS = """
begin = time.process_time()
first = registry.provider_schemas_json("openai", "text")
middle = time.process_time()
registry.provider_schemas_json("openai", "text")
lists = [middle - begin, time.process_time() - middle]
"""
_TELL = """
import json, re
with open("/proc/self/status") as file:
    memory = int(re.search(r"VmHWM:\\s+(\\d+)", file.read()).group(1)) * 1024
print(json.dumps({"took": took, "memory": memory, **extra}))
"""
"""The peak of this process alone: `getrusage` would tell the parent's, which a child inherits."""


def run(sizes: Sequence[int] = SIZES, *, repeat: int = 5, progress: Progress | None = None) -> dict[str, Any]:
    """Every size in turn, each in a folder of its own."""
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="ambidex-bench-") as folder:
            rows.append(_measure(Path(folder), size, repeat, progress or (lambda _: None)))
    return {
        "bench": "registry",
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "repeat": repeat,
        "goals": {str(size): goals for size, goals in GOALS.items()},
        "rows": rows,
    }


def _measure(root: Path, size: int, repeat: int, progress: Progress) -> dict[str, Any]:
    tools, artifact = root / "tools", root / "tool_registry.json"
    progress(f"{size:,} tools: generating")
    generate(tools, size)
    progress(f"{size:,} tools: building cold")
    row: dict[str, Any] = {"tools": size, "buildColdSeconds": _timed(tools, artifact)}
    row["artifactBytes"] = artifact.stat().st_size
    progress(f"{size:,} tools: building with one changed")
    row["buildOneChangedSeconds"] = _one_changed(tools, artifact, min(repeat, 3))
    row["buildUnchangedSeconds"] = _timed(tools, artifact)
    progress(f"{size:,} tools: loading in fresh processes")
    return row | _loads(artifact, repeat)


def _timed(tools: Path, artifact: Path) -> float:
    start = time.perf_counter()
    build(tools, artifact)
    return time.perf_counter() - start


def _one_changed(tools: Path, artifact: Path, repeat: int) -> float:
    guide = next(iter(sorted(tools.iterdir()))) / "guide.md"
    time.sleep(2.1)  # files younger than two seconds are read again on purpose; what is measured is the usual case
    build(tools, artifact)
    seconds = []
    for _ in range(repeat):
        guide.write_text(guide.read_text() + "\nOne more line.\n")
        seconds.append(_timed(tools, artifact))
    return statistics.median(seconds)


def _loads(artifact: Path, repeat: int) -> dict[str, Any]:
    """Floor and load take turns, so that a busy moment hits both."""
    floors, loads = [], []
    for _ in range(repeat):
        floors.append(_child(_FLOOR + "extra = {}" + _TELL, artifact))
        extra = 'extra = {"imported": imported - start, "lists": lists}'
        loads.append(_child(_LOAD + _LISTS + extra + _TELL, artifact))
    imported = statistics.median(load["imported"] for load in loads)
    took = statistics.median(load["took"] for load in loads)
    floor = statistics.median(floor["took"] for floor in floors)
    return {
        "importSeconds": imported,
        "loadSeconds": took - imported,
        "importLoadSeconds": took,
        "floorDecodeSeconds": floor,
        "loadToFloor": took / floor,
        "schemaListFirstSeconds": statistics.median(load["lists"][0] for load in loads),
        "schemaListAgainSeconds": statistics.median(load["lists"][1] for load in loads),
        "memoryBytes": statistics.median(load["memory"] for load in loads),
        "floorMemoryBytes": statistics.median(floor["memory"] for floor in floors),
    }


def _child(program: str, artifact: Path) -> dict[str, Any]:
    command = [sys.executable, "-c", program, str(artifact)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told

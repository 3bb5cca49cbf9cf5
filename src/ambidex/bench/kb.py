"""`ambidex bench kb`: a knowledge base of made-up records, searched as tools search it, beside plain FTS5."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ambidex.bench.kb_measures import Row, measure

Progress = Callable[[str], None]
SIZES = (10_000, 100_000, 1_000_000)
GOALS: dict[int, dict[str, float]] = {
    100_000: {"filteredP99Millis": 25, "openSeconds": 0.3},
    1_000_000: {"filteredP99Millis": 100, "openSeconds": 0.3},
}
"""What the project holds itself to."""


def run(sizes: Sequence[int] = SIZES, *, queries: int = 200, progress: Progress | None = None) -> dict[str, Any]:
    tell = progress or (lambda _: None)
    rows: list[Row] = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="ambidex-bench-") as folder:
            rows.append(measure(Path(folder), size, queries, partial(_tell, tell, size)))
    return {
        "bench": "kb",
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "goals": {str(size): goals for size, goals in GOALS.items()},
        "rows": rows,
    }


def _tell(tell: Progress, size: int, what: str) -> None:
    tell(f"{size:,} records: {what}")


def parse_sizes(text: str) -> tuple[int, ...]:
    """`10k,100k,1M` as numbers; raises `ValueError`."""
    units = {"k": 1_000, "m": 1_000_000}
    sizes = []
    for word in text.replace(" ", "").lower().split(","):
        unit = units.get(word[-1:], 1)
        size = int(word[:-1] if unit > 1 else word) * unit
        if size < 1:
            raise ValueError(word)
        sizes.append(size)
    return tuple(sizes)

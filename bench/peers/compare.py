"""`make bench-peers`: the same tool through Ambidex and through each peer, then table, chart and JSON.

Every script measures the bare floor in its own process, in turns with the peer, so the multiples can be compared even
though the processes ran at different times.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chart import svg
from environments import HERE, ROOT, measured, run, why
from peers import PEERS
from same import TOOL
from table import between_markers, markdown

RESULTS = HERE / "results.json"
CHART = ROOT / "docs" / "images" / "peers.svg"
PAGES = (ROOT / "README.md", ROOT / "docs" / "comparison.md")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare Ambidex with its peers.")
    parser.add_argument(
        "--write", action="store_true", help="write results.json, the chart and the tables of the pages"
    )
    asked = parser.parse_args()
    results = _measure()
    table = markdown(results)
    print(table)
    if asked.write:
        _write(results, table)


def _measure() -> dict[str, Any]:
    rows = [_ours()]
    for peer in PEERS:
        print(f"{peer.name} …", file=sys.stderr, flush=True)
        rows.append(measured(peer))
    now = datetime.now(UTC)
    return {
        "date": f"{now.day} {now:%B %Y}",
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "kinds": list(TOOL.BAD),
        "rows": rows,
    }


def _ours() -> dict[str, Any]:
    """Measured in the environment that runs this; without it there is nothing to compare."""
    try:
        return {"name": "Ambidex", **run(Path(sys.executable), "run_ambidex.py")}
    except subprocess.SubprocessError as error:
        raise SystemExit(f"Ambidex itself could not be measured: {why(error)}") from error


def _write(results: dict[str, Any], table: str) -> None:
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    CHART.write_text(svg(results))
    for page in PAGES:
        page.write_text(between_markers(page.read_text(encoding="utf-8"), table), encoding="utf-8")


if __name__ == "__main__":
    main()

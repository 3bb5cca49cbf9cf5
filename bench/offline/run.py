"""The offline provider's figures with every embedder that is installed: `python bench/offline/run.py`."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from ambidex.bench.offline import measure
from ambidex.bench.offline_table import offline_table
from ambidex.capabilities.kb.embedders.light import Light
from ambidex.capabilities.kb.embedders.minilm import MiniLM


def main() -> None:
    installed = {"minilm": MiniLM().installed(), "light": Light.installed(), "none": True}
    for name in (name for name, there in installed.items() if there):
        Console().print(offline_table(measure(Path(__file__).parent, name)))


if __name__ == "__main__":
    main()

"""`ambidex bench`: figures of this machine, beside a floor and the goals."""

from __future__ import annotations

import sys

import click

from ambidex.cli.options import debug_option, json_option
from ambidex.cli.output import console, on_terminal, say_json
from ambidex.cli.progress import status

_PIPE_WIDTH = 200
"""A pipe has no width of its own; the table is wider than the eighty columns that would be assumed."""


@click.group(short_help="Measure build, load and memory.")
def command() -> None:
    """Measure build, load and memory."""


@command.command()
@click.option(
    "--size",
    "sizes",
    type=click.IntRange(min=1),
    multiple=True,
    default=(1, 100, 1_000, 10_000),
    show_default=True,
    help="Tools in a registry; may be given several times.",
)
@click.option("--repeat", type=click.IntRange(min=1), default=5, show_default=True, help="Runs; the median counts.")
@json_option
@debug_option
def registry(sizes: tuple[int, ...], repeat: int, as_json: bool) -> None:
    """Build and load registries of made-up tools.

    With --json: {"ok", "bench", "python", "machine", "repeat", "goals", "rows": [figures of each size]}.
    """
    from ambidex.bench.registry import run
    from ambidex.bench.table import registry_table

    with status("Measuring", quiet=as_json) as progress:
        figures = run(sizes, repeat=repeat, progress=progress)
    if as_json:
        say_json({"ok": True, **figures})
    else:
        console(width=None if on_terminal(sys.stdout) else _PIPE_WIDTH).print(registry_table(figures))

"""`ambidex bench`: figures of this machine, beside a floor and the goals."""

from __future__ import annotations

import sys

import click

from ambidex.cli.options import debug_option, json_option
from ambidex.cli.output import console, on_terminal, say_json
from ambidex.cli.progress import status

_PIPE_WIDTH = 200
"""A pipe has no width of its own; the table is wider than the eighty columns that would be assumed."""


@click.group(short_help="Measure what calls, builds and loading cost.")
def command() -> None:
    """Measure what calls, builds and loading cost."""


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


@command.command()
@click.option("--rounds", type=click.IntRange(min=1), default=20, show_default=True, help="Batches; the median counts.")
@click.option("--sessions", type=click.IntRange(min=1), default=50, show_default=True, help="Sessions in a batch.")
@click.option("--callers", type=click.IntRange(min=1), default=1_000, show_default=True, help="Callers at once.")
@click.option("--durable", type=click.IntRange(min=1), default=400, show_default=True, help="Writes on SQLite.")
@click.option("--idle", type=click.IntRange(min=1), default=2_000, show_default=True, help="Idle sessions to weigh.")
@json_option
@debug_option
def core(rounds: int, sessions: int, callers: int, durable: int, idle: int, as_json: bool) -> None:
    """Call a tool through every gate, beside a bare call.

    With --json: {"ok", "bench", "python", "machine", "goals", "held", "figures", "duties"}. Goals that are missed
    are figures, not failures: the exit code stays 0.
    """
    from ambidex.bench.core import Sizes, run
    from ambidex.bench.core_table import core_table, duties_table

    with status("Measuring", quiet=as_json) as progress:
        figures = run(Sizes(sessions, rounds, callers, durable, idle), progress=progress)
    if as_json:
        say_json({"ok": True, **figures})
        return
    shown = console(width=None if on_terminal(sys.stdout) else _PIPE_WIDTH)
    shown.print(core_table(figures))
    shown.print(duties_table(figures))

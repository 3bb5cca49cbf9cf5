"""`ambidex bench`: figures of this machine, beside a floor and the goals."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ambidex.cli.options import debug_option, json_option
from ambidex.cli.output import console, on_terminal, say_json
from ambidex.cli.progress import status

_PIPE_WIDTH = 200
"""A pipe has no width of its own; the table is wider than the eighty columns that would be assumed."""


@click.group(short_help="Measure what calls, search, serving and builds cost.")
def command() -> None:
    """Measure what calls, search, serving and builds cost."""


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
    from ambidex.bench.core_table import core_table, duties_tables

    with status("Measuring", quiet=as_json) as progress:
        figures = run(Sizes(sessions, rounds, callers, durable, idle), progress=progress)
    if as_json:
        say_json({"ok": True, **figures})
        return
    shown = console(width=None if on_terminal(sys.stdout) else _PIPE_WIDTH)
    shown.print(core_table(figures))
    shown.print(*duties_tables(figures))


@command.command()
@click.option(
    "--lines",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("bench/offline"),
    show_default=True,
    help="Folder of the utterances.",
)
@click.option("--embedder", type=click.Choice(["auto", "minilm", "light", "none"]), help="Default: configured.")
@json_option
@debug_option
def offline(lines: Path, embedder: str | None, as_json: bool) -> None:
    """Say utterances to the offline provider, and judge what it does.

    With --json: {"ok", "bench", "embedder", "registry", "goals", "whole", "held"}; both parts have {"right", "of",
    "share", "held", "missed"} for each figure. Goals that are missed are figures, not failures: the exit code stays 0.
    """
    from ambidex.bench.offline import measure
    from ambidex.bench.offline_table import offline_table

    with status("Measuring", quiet=as_json) as progress:
        figures = measure(lines, embedder, progress=progress)
    if as_json:
        say_json({"ok": True, **figures})
    else:
        console(width=None if on_terminal(sys.stdout) else _PIPE_WIDTH).print(offline_table(figures))


@command.command()
@click.option("--sizes", default="10k,100k,1M", show_default=True, help="Records of the bases, with commas between.")
@click.option("--queries", type=click.IntRange(min=1), default=200, show_default=True, help="Searches of each kind.")
@json_option
@debug_option
def kb(sizes: str, queries: int, as_json: bool) -> None:
    """Import and search made-up records, beside plain FTS5.

    With --json: {"ok", "bench", "python", "machine", "goals", "rows": [figures of each size]}.
    """
    from ambidex.bench.kb import parse_sizes, run
    from ambidex.bench.kb_table import kb_table

    try:
        wanted = parse_sizes(sizes)
    except ValueError:
        raise click.BadParameter("give sizes as in 10k,100k,1M", param_hint="--sizes") from None
    with status("Measuring", quiet=as_json) as progress:
        figures = run(wanted, queries=queries, progress=progress)
    if as_json:
        say_json({"ok": True, **figures})
    else:
        console(width=None if on_terminal(sys.stdout) else _PIPE_WIDTH).print(kb_table(figures))


@command.command()
@click.option("--clients", default="1,10,100", show_default=True, help="Clients at once, with commas between.")
@click.option(
    "--seconds", type=click.FloatRange(min=0.1), default=10, show_default=True, help="How long each one is measured."
)
@click.option(
    "--conversations", type=click.IntRange(min=1), default=300, show_default=True, help="Open ones, to weigh them."
)
@click.option("--embedder", type=click.Choice(["auto", "minilm", "light", "none"]), default="light", show_default=True)
@json_option
@debug_option
def serve(clients: str, seconds: float, conversations: int, embedder: str, as_json: bool) -> None:
    """Chat with a server of its own over HTTP, beside its /healthz.

    With --json: {"ok", "bench", "python", "machine", "seconds", "embedder", "rows": [figures for each number of
    clients], "memory"}.
    """
    from ambidex.bench.serve import parse_clients, run
    from ambidex.bench.serve_table import serve_table

    try:
        counts = parse_clients(clients)
    except ValueError:
        raise click.BadParameter("give numbers as in 1,10,100", param_hint="--clients") from None
    with status("Measuring", quiet=as_json) as progress:
        figures = run(counts, seconds=seconds, conversations=conversations, embedder=embedder, progress=progress)
    if as_json:
        say_json({"ok": True, **figures})
    else:
        console(width=None if on_terminal(sys.stdout) else _PIPE_WIDTH).print(serve_table(figures))

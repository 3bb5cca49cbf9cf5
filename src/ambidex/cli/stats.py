"""`ambidex stats`: how the tools do, counted from the audit."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ambidex.cli.artifact import open_artifact
from ambidex.cli.options import artifact_option, common_options, load_config
from ambidex.cli.output import columns, console, note, on_terminal, say, say_json

if TYPE_CHECKING:
    from ambidex.audit.log import AuditLog
    from ambidex.cli.tally import Tally

_POLL_SECONDS = 1.0


@click.command(short_help="Show how the tools do: calls, latency, errors.")
@click.option("--watch", is_flag=True, help="Go on with what is recorded from now on, until interrupted.")
@click.option("--store", "url", metavar="URL", help="The store (default: configured).")
@artifact_option
@common_options
def command(watch: bool, url: str | None, artifact: Path | None, config_path: Path | None, as_json: bool) -> None:
    """Show how the tools do: calls, latency, errors.

    Counted from the audit in the store; where there is no store, from the exported files. Bars show the median and the
    95th percentile against each tool's latency budget. With --json: {"ok", "registryVersion", "tools": {ID: counts},
    "sessions": {MODE: counts}}; it does not go with --watch.
    """
    from ambidex.cli.audit import open_log
    from ambidex.cli.tally import Tally

    if watch and as_json:
        raise click.UsageError("--watch draws for a person; a program runs `ambidex stats --json` again")
    _, registry = open_artifact(config_path, artifact)
    with open_log(load_config(config_path, store=url), None) as log:
        tally = Tally(registry)
        tally.read(log)
        if as_json:
            say_json({"ok": True, **tally.plain()})
        elif watch:
            _watch(tally, log)
        else:
            _show(tally)


def _show(tally: Tally) -> None:
    from ambidex.cli.stats_table import HEAD, cells, drawn, summary

    rows = tally.rows()
    if rows and on_terminal(sys.stdout):
        terminal = console()
        terminal.print(drawn(rows, terminal.width))
    elif rows:
        say(columns([HEAD, *map(cells, rows)]))
    note(summary(tally))


def _watch(tally: Tally, log: AuditLog) -> None:
    try:
        if on_terminal(sys.stdout):
            _redraw(tally, log)
        else:
            _repeat(tally, log)
    except KeyboardInterrupt:
        return


def _redraw(tally: Tally, log: AuditLog) -> None:
    """In place, on a terminal."""
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    from ambidex.cli.stats_table import drawn, summary

    with Live(console=console(), auto_refresh=False) as live:
        while True:
            table = drawn(tally.rows(), live.console.width)
            live.update(Group(table, Text(summary(tally), "dim")), refresh=True)
            time.sleep(_POLL_SECONDS)
            tally.read(log)


def _repeat(tally: Tally, log: AuditLog) -> None:
    """In a pipe: the whole table again whenever something was recorded."""
    _show(tally)
    while True:
        time.sleep(_POLL_SECONDS)
        if tally.read(log):
            say("")
            _show(tally)

"""`ambidex list`: the tools of the artifact at a glance."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ambidex.cli.artifact import open_artifact
from ambidex.cli.options import artifact_option, common_options, mode_option
from ambidex.cli.output import columns, console, note, on_terminal, plural, say, say_json
from ambidex.contracts.call import Category

if TYPE_CHECKING:
    from rich.table import Table

    from ambidex.registry.registry import Registry

_HEAD = ("tool", "category", "modes", "effects", "confirmation", "budget", "summary")
_COLOURS = {"retrieval": "cyan", "action": "magenta", "utility": "green"}
_ROOM_FOR_SUMMARIES = 110


@click.command(short_help="List the tools of the artifact.")
@mode_option()
@click.option("--category", type=click.Choice([category.value for category in Category]), help="Only this category.")
@artifact_option
@common_options
def command(
    mode: str | None, category: str | None, artifact: Path | None, config_path: Path | None, as_json: bool
) -> None:
    """List the tools of the artifact.

    With --json: {"ok", "registryVersion", "gitCommit", "tools": [metadata of each]}.
    """
    _, registry = open_artifact(config_path, artifact)
    tools = [facts for facts in _metadata(registry, mode) if category in (None, facts["category"])]
    if as_json:
        about = {"registryVersion": registry.version, "gitCommit": registry.git_commit}
        say_json({"ok": True, **about, "tools": tools})
        return
    rows = [_row(facts) for facts in tools]
    if on_terminal(sys.stdout):
        terminal = console()
        terminal.print(drawn(rows, terminal.width))
    elif rows:
        say(columns([_HEAD, *rows]))
    note(f"{plural(len(rows), 'tool')}, registry {registry.version}")


def _metadata(registry: Registry, mode: str | None) -> list[dict[str, Any]]:
    return [registry.metadata(tool) for tool in registry.tool_ids(mode)]


def _row(facts: dict[str, Any]) -> tuple[str, ...]:
    return (
        facts["toolId"],
        facts["category"],
        ", ".join(sorted(facts["allowedModes"])),
        facts["sideEffects"].replace("_", " "),
        _confirmation(facts),
        f"{facts['latencyBudgetMs']:g} ms",
        facts["summary"],
    )


def _confirmation(facts: dict[str, Any]) -> str:
    if facts["requiresConfirmation"]:
        return "always"
    return "sometimes" if facts.get("confirmWhen") else "no"


def drawn(rows: Sequence[tuple[str, ...]], width: int) -> Table:
    """The table a terminal shows; a narrow one has no room for summaries, which `ambidex show` has too."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    head = _HEAD if width >= _ROOM_FOR_SUMMARIES else _HEAD[:-1]
    for name in head:
        table.add_column(name, no_wrap=name != "summary", justify="right" if name == "budget" else "left")
    for tool, category, *rest in (row[: len(head)] for row in rows):
        table.add_row(Text(tool, "bold"), Text(category, _COLOURS.get(category, "")), *map(Text, rest))
    return table

"""`ambidex show TOOL`: everything the artifact says about one tool."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ambidex.cli.artifact import known_tool, open_artifact
from ambidex.cli.completion import tool_names
from ambidex.cli.options import artifact_option, common_options
from ambidex.cli.output import console, on_terminal, say, say_json

if TYPE_CHECKING:
    from rich.panel import Panel

_LONG = frozenset({"phrases", "response"})
"""Left to --json: the documentation shows the first, and the second is a schema."""


@click.command(short_help="Show a tool's documentation and metadata.")
@click.argument("tool", shell_complete=tool_names)
@artifact_option
@common_options
def command(tool: str, artifact: Path | None, config_path: Path | None, as_json: bool) -> None:
    """Show a tool's documentation and metadata.

    TOOL is a toolId or a folder's name. With --json: {"ok", "registryVersion", "tool": metadata, "parameters",
    "documentation"}.
    """
    _, registry = open_artifact(config_path, artifact)
    tool = known_tool(registry, tool)
    facts, documentation = registry.metadata(tool), registry.documentation(tool)
    if as_json:
        say_json(
            {
                "ok": True,
                "registryVersion": registry.version,
                "tool": facts,
                "parameters": registry.json_schema(tool),
                "documentation": documentation,
            }
        )
    elif on_terminal(sys.stdout):
        from rich.markdown import Markdown

        console().print(drawn(facts), Markdown(documentation), sep="\n")
    else:
        lines = (f"{name}: {value}" for name, value in _facts(facts))
        say("\n".join([*lines, "", documentation.rstrip()]))


def drawn(facts: dict[str, Any]) -> Panel:
    """The metadata as a terminal shows it."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for name, value in _facts(facts):
        grid.add_row(Text(name, "dim"), Text(value))
    return Panel(grid, title=Text(facts["toolId"], "bold"), title_align="left", expand=False)


def _facts(facts: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, _word(value)) for name, value in facts.items() if name not in _LONG and value not in ([], {})]


def _word(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(_word, value))
        case dict():
            return "; ".join(f"{name}: {_word(item)}" for name, item in value.items())
        case float():
            return f"{value:g}"
        case _:
            return str(value)

"""`ambidex schema`: the declarations exactly as a provider gets them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ambidex.cli.artifact import known_tool, open_artifact
from ambidex.cli.completion import tool_names
from ambidex.cli.options import artifact_option, common_options, mode_option
from ambidex.cli.output import console, on_terminal, say
from ambidex.contracts.spec import PROVIDERS

if TYPE_CHECKING:
    from ambidex.registry.registry import Registry


@click.command(short_help="Print the declarations a provider gets.")
@click.option("--provider", type=click.Choice([*PROVIDERS, "gemini"]), default="openai", show_default=True)
@mode_option()
@click.argument("tool", required=False, shell_complete=tool_names)
@artifact_option
@common_options
def command(
    provider: str, mode: str | None, tool: str | None, artifact: Path | None, config_path: Path | None, as_json: bool
) -> None:
    """Print the declarations a provider gets.

    A JSON array, ready to send; with TOOL, that tool's declaration alone. Indented on a terminal, compact in a pipe
    or with --json. `gemini` means the native form in voice and without a mode, JSON Schema in text.
    """
    import orjson

    _, registry = open_artifact(config_path, artifact)
    if tool is None:
        document = registry.provider_schemas_json(provider, mode)
    else:
        document = orjson.dumps(_declaration(registry, provider, mode, known_tool(registry, tool)))
    if as_json or not on_terminal(sys.stdout):
        say(document.decode())
    else:
        from rich.json import JSON

        console().print(JSON(document.decode(), ensure_ascii=False), soft_wrap=True)


def _declaration(registry: Registry, provider: str, mode: str | None, tool: str) -> dict[str, Any]:
    for declaration in registry.provider_schemas(provider, mode):
        # OpenAI's Chat form wraps the function; all others are flat.
        if declaration.get("function", declaration)["name"] == tool:
            return dict(declaration)
    raise click.UsageError(f"{tool} is not declared in {mode}; leave --mode out or name the other one")

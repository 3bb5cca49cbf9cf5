"""`ambidex new NAME`: a tool folder that builds at once, to be changed rather than begun."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ambidex.cli.options import common_options, load_config, tools_option
from ambidex.cli.output import note, say, say_json, shown
from ambidex.cli.scaffold import Written, is_folder_name, kebab, template, tool_words, write
from ambidex.config import Config, keys

_MODES = ("text", "voice")
_RESERVED = "reg-"
"""Folder names of the registry's own tools begin so."""


def _checked_name(_: click.Context, __: click.Parameter, name: str) -> str:
    if not is_folder_name(name):
        spelled = kebab(name)
        hint = f"; did you mean {spelled}?" if spelled else ""
        raise click.BadParameter(f"{name!r} is not kebab-case, like weather-lookup, of at most 64 characters{hint}")
    if name.startswith(_RESERVED):
        raise click.BadParameter(f"names that begin with {_RESERVED} are the registry's own; choose another")
    return name


def _checked_modes(_: click.Context, __: click.Parameter, value: str) -> tuple[str, ...]:
    asked = [word.strip() for word in value.split(",")]
    if not set(asked) <= set(_MODES):
        raise click.BadParameter(f"{value!r} is not text, voice or text,voice")
    return tuple(mode for mode in _MODES if mode in asked)


@click.command(short_help="Scaffold a tool that builds at once.")
@click.argument("name", callback=_checked_name)
@click.option("--category", type=click.Choice(["retrieval", "action", "utility"]), help="Default: retrieval.")
@click.option("--writes", is_flag=True, help="An action that changes something, asked for confirmation first.")
@click.option("--mode", "modes", default="text,voice", show_default=True, callback=_checked_modes)
@tools_option
@common_options
def command(
    name: str,
    category: str | None,
    writes: bool,
    modes: tuple[str, ...],
    tools: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Scaffold a tool that builds at once.

    NAME is the folder's name in kebab-case. With --json: {"ok", "toolId", "path", "written", "next"}.
    """
    if writes and category not in (None, "action"):
        raise click.UsageError(f"a {category} tool never writes; leave --category out, or say action")
    config = load_config(config_path, tools=tools)
    folder = config[keys.TOOLS] / name
    if folder.exists():
        raise click.UsageError(f"{shown(folder)} is there already; choose another name, or remove it first")
    words = tool_words(name, modes, _editor_schema(config, folder))
    written = Written()
    write(folder, template("writes" if writes else category or "retrieval", words), written)
    next_steps = [f"edit {shown(folder / 'handler.py')} and {shown(folder / 'schema.json')}", "run `ambidex build`"]
    if as_json:
        paths = [str(path) for path in written.made]
        say_json({"ok": True, "toolId": words["tool_id"], "path": str(folder), "written": paths, "next": next_steps})
        return
    for path in written.made:
        say(shown(path))
    note(f"next: {', then '.join(next_steps)}")


def _editor_schema(config: Config, folder: Path) -> str | None:
    """The project's copy of the JSON Schema, as seen from the tool's folder; None where there is no copy."""
    root = config.path.parent if config.path else Path.cwd()
    schema = root / "schemas" / "tool.schema.json"
    return Path(os.path.relpath(schema, folder)).as_posix() if schema.is_file() else None

"""`ambidex init NAME`: a project that builds at once."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from ambidex import shipped
from ambidex.cli.options import debug_option, json_option
from ambidex.cli.output import note, say, say_json, shown
from ambidex.cli.scaffold import Written, copied, template, tool_words, write
from ambidex.config.sample import sample_toml
from ambidex.contracts import schemas
from ambidex.dialect.nearest import did_you_mean

EXAMPLE = "opening-hours"
_EDITOR_SCHEMA = "../../schemas/tool.schema.json"


def _checked_tools(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Folder names of shipped tools, from `--with a,b --with c`."""
    asked = [word.strip().replace("_", "-") for value in values for word in value.split(",") if word.strip()]
    known = shipped_tools() if asked else []
    for name in asked:
        if name not in known:
            near = did_you_mean(name, known)
            raise click.BadParameter(f"no tool {name!r} comes with ambidex{near}; there are {', '.join(known)}")
    return tuple(dict.fromkeys(asked))


def shipped_tools() -> list[str]:
    folders = (shipped.path() / "tools").iterdir()
    return sorted(folder.name for folder in folders if (folder / "schema.json").is_file())


@click.command(short_help="Start a project in a new folder.")
@click.argument("name", type=click.Path(path_type=Path))
@click.option("--with", "extra", multiple=True, metavar="TOOL,…", callback=_checked_tools, help="Copy shipped tools.")
@click.option("--force", is_flag=True, help="Use a folder that is not empty; its files are kept as they are.")
@json_option
@debug_option
def command(name: Path, extra: tuple[str, ...], force: bool, as_json: bool) -> None:
    """Start a project in a new folder.

    It holds a configuration, an example tool, the prompts and the JSON Schema by which editors complete schema.json.
    With --json: {"ok", "path", "written", "kept", "next"}.
    """
    folder = name.absolute()
    if folder.exists() and not folder.is_dir():
        raise click.UsageError(f"{shown(folder)} is a file; choose another name")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise click.UsageError(f"{shown(folder)} is not empty; choose another name, or add --force to keep its files")
    written = _write_project(folder, extra)
    steps = [f"cd {shlex.quote(shown(folder))}", "ambidex build", "ambidex list", "ambidex serve"]
    if as_json:
        made, kept = ([str(path) for path in paths] for paths in (written.made, written.kept))
        say_json({"ok": True, "path": str(folder), "written": made, "kept": kept, "next": steps})
        return
    for path in written.made:
        say(shown(path))
    for path in written.kept:
        note(f"kept {shown(path)}, which was there already")
    note("next: " + " && ".join(steps))


def _write_project(folder: Path, extra: tuple[str, ...]) -> Written:
    home = shipped.path()
    written = Written()
    write(folder, {"ambidex.toml": sample_toml().encode()}, written)
    write(folder, template("project", {"name": folder.name}), written)
    write(folder / "schemas", {schemas.TOOL: schemas.text(schemas.TOOL)}, written)
    write(folder / "prompts", copied(home / "prompts"), written)
    example = template(EXAMPLE, tool_words(EXAMPLE, ("text", "voice"), _EDITOR_SCHEMA))
    write(folder / "tools" / EXAMPLE, example, written)
    for tool in extra:
        write(folder / "tools" / tool, copied(home / "tools" / tool), written)
    return written

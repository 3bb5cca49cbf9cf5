"""How an error ends a command: a sentence, what to do next, and an exit code. Tracebacks are for bugs and `--debug`."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from ambidex.cli.options import DEBUG_FLAG, JSON_FLAG
from ambidex.cli.output import Exit, note, on_terminal, say_json
from ambidex.errors import AmbidexError, ArtifactError, ConfigError, HandlerError, MissingExtra

_AGAIN = "then run the same command again"

_NEXT: tuple[tuple[type[Exception], str], ...] = (
    (MissingExtra, f"install it, {_AGAIN}"),
    (ConfigError, f"mend it, {_AGAIN}; docs/configuration.md has every key"),
    (ArtifactError, "run `ambidex build` to write the artifact anew"),
    (HandlerError, "run `ambidex build` if the change was meant; else restore the file"),
    (AmbidexError, "`ambidex doctor` checks installation and project"),
    (ModuleNotFoundError, f"pip install --force-reinstall ambidex, {_AGAIN}"),
    (OSError, "check that the path exists and may be read and written"),
)
"""The first that fits; an error of no kind listed here is a bug."""


def end_with(ctx: click.Context, error: Exception) -> NoReturn:
    """Tell an expected error and leave; raise anything else as the bug it is."""
    next_step = next((step for kind, step in _NEXT if isinstance(error, kind)), None)
    if next_step is None or ctx.meta.get(DEBUG_FLAG):
        raise error
    if ctx.meta.get(JSON_FLAG):
        say_json({"ok": False, "error": {"type": type(error).__name__, "message": str(error), "next": next_step}})
    else:
        label = click.style("error:", fg="red", bold=True) if on_terminal(sys.stderr) else "error:"
        note(f"{label} {error}")
        note(f"next: {next_step}")
    ctx.exit(Exit.MISSING if isinstance(error, (MissingExtra, ModuleNotFoundError)) else Exit.PROBLEMS)

"""How commands speak: results on stdout, diagnostics on stderr, colour only on a terminal, JSON when asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

if TYPE_CHECKING:
    from rich.console import Console


class Exit(IntEnum):
    OK = 0
    PROBLEMS = 1
    USAGE = 2
    MISSING = 3
    """Something to install or start."""


def say(text: str) -> None:
    """A result."""
    click.echo(text)


def note(text: str = "") -> None:
    """A diagnostic: what happened, or what to do next."""
    click.echo(text, err=True)


def say_json(document: Any) -> None:
    """The one JSON document of a run, indented: programs do not mind and people read it too."""
    import orjson

    click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())


def leave(code: Exit) -> NoReturn:
    click.get_current_context().exit(int(code))


def on_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """Rich on one of the streams. It leaves colours out for NO_COLOR and for anything that is no terminal."""
    from rich.console import Console

    return Console(file=sys.stderr if stderr else sys.stdout, highlight=False, width=width)


def shown(path: Path) -> str:
    """A path as a person in this folder would write it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def plural(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def columns(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows aligned with spaces, for pipes: nothing is cut or wrapped."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)

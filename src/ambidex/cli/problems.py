"""Problems as people and programs read them: a line each; on a terminal also the source line with a caret under it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ambidex.cli.output import console, on_terminal, plural
from ambidex.contracts.problem import Problem, Severity

if TYPE_CHECKING:
    from rich.text import Text

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


def print_problems(problems: Sequence[Problem], root: Path, *, err: bool) -> None:
    """One after another, on stderr or stdout; `root` is the folder that their paths are relative to."""
    if on_terminal(sys.stderr if err else sys.stdout):
        terminal = console(stderr=err)
        for problem in problems:
            terminal.print(drawn(problem, root), soft_wrap=True)
    else:
        for problem in problems:
            click.echo(str(problem), err=err)


def problem_json(problem: Problem) -> dict[str, Any]:
    """The shape of a problem in every `--json`: code, severity, path, line, column, message, fix."""
    return asdict(problem)


def tally(problems: Sequence[Problem]) -> str:
    """`2 errors, 1 warning`."""
    errors = sum(problem.severity is Severity.ERROR for problem in problems)
    warnings = len(problems) - errors
    return ", ".join(plural(n, word) for n, word in ((errors, "error"), (warnings, "warning")) if n) or "no problems"


def drawn(problem: Problem, root: Path) -> Text:
    """A problem with its source line, as compilers draw it."""
    from rich.text import Text

    colour = _COLOURS[problem.severity]
    text = Text.assemble(
        (f"{problem.path}:{problem.line}:{problem.column}", "bold"),
        " ",
        (problem.code, f"bold {colour}"),
        " ",
        (problem.severity.value, colour),
        f" {problem.message}; ",
        (problem.fix, "cyan"),
    )
    if line := source_line(root / problem.path, problem.line):
        text.append(f"\n{problem.line:>5} | ", "dim").append(line)
        text.append("\n      | ", "dim").append(_indent(line, problem.column)).append("^", f"bold {colour}")
    return text


def source_line(path: Path, number: int) -> str | None:
    """A line of a file, or None when there is no such line to show."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    return line if line.strip() else None


def _indent(line: str, column: int) -> str:
    """Blanks up to the column; tabs stay tabs, so that the caret lands where the line shows it."""
    before = line[: max(column - 1, 0)]
    return "".join("\t" if character == "\t" else " " for character in before)

"""Progress on stderr, on a terminal only: a bar where the end is known, a line where not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from ambidex.cli.output import console, on_terminal

Progress: TypeAlias = Callable[[int, int, str], None]
"""Done, total, and the name of the last one done."""


@contextmanager
def progress_bar(title: str, *, quiet: bool = False) -> Iterator[Progress | None]:
    """What to pass as `progress=`; None where nobody is watching."""
    if quiet or not on_terminal(sys.stderr):
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    looks = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[name]}"))
    with Bar(*looks, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, name="")
        yield lambda done, total, name: bar.update(task, completed=done, total=total, name=name)


@contextmanager
def status(title: str, *, quiet: bool = False) -> Iterator[Callable[[str], None] | None]:
    """The same for work that tells in words how far it is."""
    if quiet or not on_terminal(sys.stderr):
        yield None
        return
    with console(stderr=True).status(title) as line:
        yield lambda words: line.update(f"{title}: {words}")

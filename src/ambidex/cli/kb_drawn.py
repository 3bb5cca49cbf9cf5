"""Hits and records as a person reads them. Their text was written by others: it is printed as text and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ambidex.cli.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

    from ambidex.capabilities.kb.found import Hit
    from ambidex.capabilities.kb.record import Record

_INDENT = 6


def hit_lines(hit: Hit) -> str:
    """For pipes: the match stands between double asterisks."""
    pieces = "".join(f"**{piece}**" if marked else piece for piece, marked in snippet_pieces(hit))
    lines = [f"{hit.score:.2f}  {printable(hit.record.title)}", _place(hit.record), *([pieces] if pieces else [])]
    return f"\n{' ' * _INDENT}".join(lines)


def draw_hit(hit: Hit, terminal: Console) -> None:
    """For terminals: the match is coloured, the address a link."""
    from rich.padding import Padding
    from rich.text import Text

    terminal.print(Text.assemble((f"{hit.score:.2f}  ", "cyan"), (printable(hit.record.title), "bold")))
    terminal.print(Padding(Text(_place(hit.record), "dim"), (0, 0, 0, _INDENT)), soft_wrap=True)
    pieces = ((piece, "bold yellow" if marked else "") for piece, marked in snippet_pieces(hit))
    if hit.snippet:
        terminal.print(Padding(Text.assemble(*pieces), (0, 0, 1, _INDENT)))


def snippet_pieces(hit: Hit) -> Iterator[tuple[str, bool]]:
    """The snippet on one line, cut at its marks; whether each piece is one."""
    end = 0
    for start, stop in hit.marks:
        if start > end:
            yield _one_line(hit.snippet[end:start]), False
        yield _one_line(hit.snippet[start:stop]), True
        end = stop
    if rest := hit.snippet[end:]:
        yield _one_line(rest), False


def record_text(record: Record) -> str:
    """A record whole: its fields, then its text as it was written."""
    fields = {
        "id": record.id,
        "namespace": record.namespace,
        "updated": record.last_updated,
        "tags": ", ".join(record.tags),
        "url": record.url or "",
        "sources": ", ".join(record.sources),
        **{name: str(value) for name, value in record.metadata.items()},
    }
    lines = [printable(record.title)]
    lines += [f"{printable(name)}: {printable(value)}" for name, value in fields.items() if value]
    text = "\n".join(printable(line) for line in record.text.expandtabs(4).splitlines())
    return "\n".join([*lines, *(["", text] if text else [])])


def _place(record: Record) -> str:
    return printable(f"{record.id}  {record.url}" if record.url else record.id)


def _one_line(text: str) -> str:
    return printable(re.sub(r"\s", " ", text))

"""`ambidex kb stats` and `ambidex kb reindex`: what is in the base, and making what is derived from it anew."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ambidex.cli.kb_base import open_base, writing
from ambidex.cli.kb_import import wait_option
from ambidex.cli.options import common_options
from ambidex.cli.output import columns, plural, say, say_json, shown
from ambidex.cli.printable import printable
from ambidex.cli.progress import progress_bar

if TYPE_CHECKING:
    from ambidex.capabilities.kb.engine import Stats


@click.command(short_help="Show what the knowledge base holds.")
@common_options
def stats(config_path: Path | None, as_json: bool) -> None:
    """Show what the knowledge base holds, and how it is searched.

    With --json: {"ok", "path", "records", "types", "namespaces", "passages", "lexical", "embedder", "wanted",
    "embedded", "pending", "disk_bytes", "version", "damaged"}.
    """
    with open_base(config_path) as (engine, path, embedder):
        held = engine.stats()
    if as_json:
        say_json({"ok": True, "path": str(path), **asdict(held)})
    else:
        say(columns(_rows(held, path, embedder.identity if embedder else None)))


@click.command(short_help="Make the indexes anew.")
@wait_option
@common_options
def reindex(wait_seconds: float, config_path: Path | None, as_json: bool) -> None:
    """Make the indexes anew from the records; vectors of unchanged text stay.

    The exit code is 3 when another process keeps writing. With --json: {"ok", "records"}.
    """
    with open_base(config_path) as (engine, _, __):
        with (
            writing(engine, wait_seconds=wait_seconds) as writer,
            progress_bar("Indexing", quiet=as_json) as progress,
        ):
            writer.reindex(lambda done, total: progress(done, total, "") if progress else None)
        records = engine.stats().records
    if as_json:
        say_json({"ok": True, "records": records})
    else:
        say(f"{plural(records, 'record')} indexed anew")


def _rows(held: Stats, path: Path, installed: str | None) -> list[tuple[str, str]]:
    rows = [
        ("file", f"{shown(path)}, {held.disk_bytes / (1 << 20):.1f} MiB with its indexes"),
        ("records", _counts(held.records, held.types)),
        (
            "namespaces",
            ", ".join(f"{printable(name)} {count}" for name, count in sorted(held.namespaces.items())) or "none",
        ),
        ("passages", f"{held.passages}"),
        ("words", held.lexical),
        ("embedder", _embedder(held, installed)),
    ]
    if held.damaged:
        rows.append(("to mend", f"{', '.join(held.damaged)}; `ambidex kb reindex` does it"))
    return rows


def _counts(total: int, kinds: dict[str, int]) -> str:
    named = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    return f"{total}: {named}" if named else f"{total}"


def _embedder(held: Stats, installed: str | None) -> str:
    """Whose vectors serve, and what is still to be made."""
    serving = held.embedder or "none, search goes by words alone"
    if held.wanted and held.pending:
        return f"{serving}; {held.wanted} has {held.embedded} of {held.embedded + held.pending} passages"
    if installed and installed != held.embedder:
        return f"{serving}; the next `ambidex kb import` makes vectors of {installed}"
    return serving

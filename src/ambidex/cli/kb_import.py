"""`ambidex kb import`: files into the knowledge base, and a word about each that did not get in."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ambidex.cli.kb_base import open_base, writing
from ambidex.cli.options import common_options
from ambidex.cli.output import Exit, leave, note, plural, say, say_json
from ambidex.cli.printable import printable
from ambidex.cli.progress import progress_bar

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Embedder
    from ambidex.capabilities.kb.engine import Engine
    from ambidex.capabilities.kb.importing.told import Summary

_MOST_NAMED = 5


def namespace_name(_: click.Context | None, __: click.Parameter | None, value: str) -> str:
    """A namespace as records have it."""
    from ambidex.capabilities.kb.record import RecordError, parse_record

    try:
        parse_record({"id": "doc:x", "title": "x"}, default_namespace=value, default_updated="2000-01-01T00:00:00Z")
    except RecordError as error:
        raise click.BadParameter(str(error)) from None
    return value


wait_option = click.option(
    "--wait",
    "wait_seconds",
    type=click.FloatRange(min=0),
    default=10,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for another process that writes.",
)


@click.command("import", short_help="Import Markdown, JSONL and CSV.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--namespace", callback=namespace_name, default="studio", show_default=True, help="Of records that name none."
)
@click.option("--prune", is_flag=True, help="Remove records below PATH whose file or row is gone.")
@click.option("--no-embed", is_flag=True, help="Leave vectors to a later run; search by words works at once.")
@wait_option
@common_options
def import_files(
    paths: tuple[str, ...],
    namespace: str,
    prune: bool,
    no_embed: bool,
    wait_seconds: float,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Import Markdown, JSONL and CSV: files, folders and globs.

    What is unchanged since the last import is skipped. What is refused is named with its reason, the rest goes in, and
    the exit code is 1. It is 3 when another process keeps writing, or the configured embedder is not installed. With
    --json: {"ok", "added", "changed", "unchanged", "removed", "vanished", "refused": [{"path", "line", "why"}],
    "skipped", "embedded", "unembedded": why or null}.
    """
    from ambidex.capabilities.kb.importing.importer import Importer

    with open_base(config_path, make=True) as (engine, path, embedder):
        with (
            writing(engine, wait_seconds=wait_seconds) as writer,
            progress_bar("Importing", quiet=as_json) as progress,
        ):
            importer = Importer(writer, path.parent, namespace=namespace, progress=progress)
            summary = importer.run(paths, prune=prune)
        if not as_json:
            _tell(summary)
        vectors = Vectors() if no_embed or embedder is None else _embed(engine, embedder, quiet=as_json)
    if as_json:
        say_json({"ok": not summary.refused, **asdict(summary), **asdict(vectors)})
    leave(Exit.PROBLEMS if summary.refused else Exit.MISSING if vectors.unembedded else Exit.OK)


@dataclass(frozen=True, slots=True)
class Vectors:
    embedded: int = 0
    unembedded: str | None = None
    """Why there are none, when something must be installed first."""


def _embed(engine: Engine, embedder: Embedder, *, quiet: bool) -> Vectors:
    """The records are in by now: whatever stops this, search by words goes on, and the next run makes the rest."""
    from ambidex.capabilities.kb.background import Embedding
    from ambidex.errors import AmbidexError

    embedding = Embedding(engine, embedder)
    try:
        with progress_bar("Embedding", quiet=quiet) as progress:
            made = embedding.run(None if progress is None else lambda done, total: progress(done, total, ""))
    except AmbidexError as error:
        note(f"no vectors were made, so search goes by words alone: {error}")
        return Vectors(unembedded=str(error))
    except KeyboardInterrupt:
        note("stopped; the next import makes the vectors that are missing, and search by words finds all meanwhile")
        return Vectors()
    if made and not quiet:
        note(f"{plural(made, 'passage')} embedded by {embedder.identity}")
    return Vectors(embedded=made)


def _tell(summary: Summary) -> None:
    for refusal in summary.refused:
        note(printable(str(refusal)))
    if summary.skipped:
        named = ", ".join(map(printable, summary.skipped[:_MOST_NAMED]))
        more = len(summary.skipped) - _MOST_NAMED
        note(f"left alone, not Markdown, JSONL or CSV: {named}{f' and {more} more' if more > 0 else ''}")
    say(
        f"{summary.added} added, {summary.changed} changed, {summary.unchanged} unchanged, "
        f"{summary.removed} removed, {len(summary.refused)} refused"
    )
    if summary.vanished:
        note(f"{plural(summary.vanished, 'record')} of files or rows that are gone; --prune removes them")

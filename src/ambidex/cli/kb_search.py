"""`ambidex kb search` and `ambidex kb get`: what an agent would find, for a person."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ambidex.cli.kb_base import open_base
from ambidex.cli.kb_drawn import draw_hit, hit_lines, record_text
from ambidex.cli.options import common_options
from ambidex.cli.output import Exit, console, leave, note, on_terminal, plural, say, say_json
from ambidex.cli.printable import printable
from ambidex.cli.words import name

if TYPE_CHECKING:
    from ambidex.capabilities.kb.engine import Engine
    from ambidex.capabilities.kb.found import Hit


def day_or_time(_: click.Context | None, parameter: click.Parameter, value: str | None) -> str | None:
    """A day means all of it: from its first moment, until its last."""
    from ambidex.capabilities.kb.record import RecordError, instant

    if value is None:
        return None
    whole_day = parameter.name == "until" and len(value.strip()) <= len("2026-01-31")
    try:
        return instant(f"{value.strip()}T23:59:59.999999" if whole_day else value, f"--{parameter.name}")
    except RecordError as error:
        raise click.BadParameter(f"{error}, or a day such as 2026-03-01") from None


def names(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name(ctx, parameter, value) for value in values)


@click.command(short_help="Search the knowledge base.")
@click.argument("query", callback=name)
@click.option(
    "--namespace", "namespaces", multiple=True, callback=names, help="Only this one; may be repeated (default: all)."
)
@click.option(
    "--type", "kind", type=click.Choice(["project", "person", "process", "link", "doc"]), help="Only this type."
)
@click.option(
    "--tag", "tags", multiple=True, callback=names, help="Only records with this tag; repeated, with all of them."
)
@click.option("--since", callback=day_or_time, metavar="DATE", help="Updated on this day or later.")
@click.option("--until", callback=day_or_time, metavar="DATE", help="Updated on this day or earlier.")
@click.option("--top-k", type=click.IntRange(1, 100), default=5, show_default=True, help="At most so many.")
@common_options
def search(
    query: str,
    namespaces: tuple[str, ...],
    kind: str | None,
    tags: tuple[str, ...],
    since: str | None,
    until: str | None,
    top_k: int,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Search the knowledge base: by meaning and by words.

    The score orders the hits of one search; it says nothing across searches. With --json: {"ok", "nothingRelevant",
    "queryTimeMs", "hits": [{"id", "title", "snippet", "marks", "score", "similarity", "url", …}]}.
    """
    from ambidex.capabilities.kb.filters import Filters

    with open_base(config_path) as (engine, _, __):
        held = namespaces or _all_namespaces(engine)
        found = engine.search(query, Filters(held, kind, tags, since, until), top_k=top_k)
    if as_json:
        hits = [_plain(hit) for hit in found.hits]
        times = {"nothingRelevant": found.nothing_relevant, "queryTimeMs": round(found.query_time_ms, 3)}
        say_json({"ok": True, **times, "hits": hits})
        return
    _show(found.hits)
    if not found.hits:
        note("nothing found; use other words or fewer filters")
    elif found.nothing_relevant:
        note("nothing relevant: these come nearest, and probably do not answer it")
    else:
        note(f"{plural(len(found.hits), 'record')} in {found.query_time_ms:.0f} ms")


@click.command(short_help="Show records by id.")
@click.argument("ids", nargs=-1, required=True, metavar="ID...", callback=names)
@common_options
def get(ids: tuple[str, ...], config_path: Path | None, as_json: bool) -> None:
    """Show records by id, whole.

    The exit code is 1 when one is not there. With --json: {"ok", "records", "missing": {ID: [near ids]}}.
    """
    import msgspec

    with open_base(config_path) as (engine, _, __):
        held = _all_namespaces(engine)
        records = engine.get(ids, namespaces=held)
        there = {record.id for record in records}
        missing = {id: engine.near(id, namespaces=held) for id in ids if id not in there}
    if as_json:
        say_json(
            {"ok": not missing, "records": [msgspec.to_builtins(record) for record in records], "missing": missing}
        )
    else:
        if records:
            say("\n\n".join(map(record_text, records)))
        for id, near in missing.items():
            hint = f"; near it: {', '.join(near)}" if near else "; `ambidex kb search` finds records by their words"
            note(f"there is no record {printable(id)}{hint}")
    leave(Exit.PROBLEMS if missing else Exit.OK)


def _show(hits: tuple[Hit, ...]) -> None:
    if hits and on_terminal(sys.stdout):
        terminal = console()
        for hit in hits:
            draw_hit(hit, terminal)
    elif hits:
        say("\n\n".join(map(hit_lines, hits)))


def _all_namespaces(engine: Engine) -> tuple[str, ...]:
    """Whoever may run a command on this machine may read the file."""
    return tuple(sorted(engine.stats().namespaces))


def _plain(hit: Hit) -> dict[str, Any]:
    import msgspec

    record = msgspec.to_builtins(hit.record)
    kept = {name: value for name, value in record.items() if name not in ("text", "metadata", "sources")}
    found = {"score": hit.score, "similarity": hit.similarity, "snippet": hit.snippet, "marks": hit.marks}
    return {**kept, **found}

"""The configured knowledge base, opened for a command, and the right to write to it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from ambidex.cli.options import JSON_FLAG, load_config
from ambidex.cli.output import Exit, leave, note, on_terminal, say_json, shown

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Embedder
    from ambidex.capabilities.kb.engine import Engine, Writer, WriterBusy

_AT_ONCE_SECONDS = 0.5
"""Embedding in another process holds the lock for moments; that is not worth a word."""


@contextmanager
def open_base(config_path: Path | None, *, make: bool = False) -> Iterator[tuple[Engine, Path, Embedder | None]]:
    """The engine, its file and its embedder. Looking makes no base: one that is not there is an error."""
    from ambidex.capabilities.kb.base import Base
    from ambidex.capabilities.kb.embedders.choose import choose_embedder
    from ambidex.capabilities.kb.sqlite.engine import open_kb

    base = Base.of(load_config(config_path))
    if not make and not base.path.exists():
        message = f"there is no knowledge base {shown(base.path)} yet"
        _end(Exit.PROBLEMS, "NoKnowledgeBase", message, "`ambidex kb import PATH` makes it of your files")
    embedder = choose_embedder(base.embedder, models=base.models)
    engine = open_kb(base.path, embedder=embedder, relevance=base.relevance)
    try:
        yield engine, base.path, embedder
    finally:
        engine.close()


@contextmanager
def writing(engine: Engine, *, wait_seconds: float) -> Iterator[Writer]:
    """The writer; whoever has it is named, waited for, and in the end given way to with exit code 3."""
    from ambidex.capabilities.kb.engine import WriterBusy

    at_once = min(_AT_ONCE_SECONDS, wait_seconds)
    with ExitStack() as stack:
        try:
            writer = stack.enter_context(engine.writer(wait_seconds=at_once))
        except WriterBusy as busy:
            note(f"{_who(busy)} is writing to the knowledge base; waiting up to {wait_seconds:g} s")
            try:
                writer = stack.enter_context(engine.writer(wait_seconds=wait_seconds - at_once))
            except WriterBusy as still:
                _give_way(still, wait_seconds)
        yield writer


def _give_way(busy: WriterBusy, waited: float) -> NoReturn:
    message = f"{_who(busy)} was still writing to the knowledge base after {waited:g} s; nothing was done"
    _end(Exit.MISSING, "WriterBusy", message, "wait until it is done, or give it longer with --wait SECONDS")


def _end(code: Exit, kind: str, message: str, step: str) -> NoReturn:
    """As `failure.end_with` tells an error, with a next step and a code of its own."""
    if click.get_current_context().meta.get(JSON_FLAG):
        say_json({"ok": False, "error": {"type": kind, "message": message, "next": step}})
    else:
        label = click.style("error:", fg="red", bold=True) if on_terminal(sys.stderr) else "error:"
        note(f"{label} {message}")
        note(f"next: {step}")
    leave(code)


def _who(busy: WriterBusy) -> str:
    return f"process {busy.pid}" if busy.pid else "another process"

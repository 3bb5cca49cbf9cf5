"""The knowledge base before a server starts: filled with the sample if it is empty, and its vectors made, as far as
that takes no patience. Each worker opens it anew."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ambidex.capabilities.kb.background import Embedding
from ambidex.capabilities.kb.base import Base
from ambidex.capabilities.kb.embedders.choose import choose_embedder
from ambidex.cli.output import plural
from ambidex.cli.progress import progress_bar
from ambidex.cli.serve_steps import Steps
from ambidex.config import Config

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Embedder
    from ambidex.capabilities.kb.engine import Engine

_PATIENCE_SECONDS = 15.0
"""How long vectors are waited for; the others are made while it serves, and their records found by words until then."""


def prepare_knowledge(config: Config, steps: Steps) -> None:
    base = Base.of(config)
    with steps.step("knowledge") as tell:
        empty = not base.path.exists()
        engine = replace(base, embedder="none").open()
        if engine is None:
            tell("none; `ambidex kb import FOLDER` makes one")
            return
        with_sample = ", the sample was imported" if empty and base.sample is not None else ""
        tell(f"{plural(engine.stats().records, 'record')}{with_sample}")
    try:
        with steps.step("vectors") as tell:
            tell(_embedded(engine, choose_embedder(base.embedder, models=base.models), quiet=steps.quiet))
    finally:
        engine.close()


def _embedded(engine: Engine, embedder: Embedder | None, *, quiet: bool) -> str:
    if embedder is None:
        return "none, so search goes by words alone; `ambidex models install` changes that"
    embedding, until = Embedding(engine, embedder), time.monotonic() + _PATIENCE_SECONDS
    with progress_bar("Embedding", quiet=quiet) as bar:

        def progress(done: int, total: int) -> None:
            if bar is not None:
                bar(done, total, "")
            if time.monotonic() > until:
                embedding.stop()

        made = embedding.run(progress)
    if left := engine.stats().pending:
        return f"{plural(made, 'passage')} embedded; {left} more get theirs while it serves"
    return f"{plural(made, 'passage')} embedded by {embedder.identity}" if made else f"{embedder.identity}, complete"

"""`factory(records)`: the knowledge base as a search callable, for an evaluation outside this project.

`words` is the same without an embedder: BM25 alone, to set beside it. Nothing here depends on the set.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ambidex.capabilities.kb.background import Embedding
from ambidex.capabilities.kb.embedders import Embedder, choose_embedder
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.record import MAX_TITLE, parse_record
from ambidex.capabilities.kb.sqlite.engine import open_kb

Search = Callable[[str, int], list[str]]
_WHEN = "2026-01-01T00:00:00Z"


def factory(records: Iterable[Mapping[str, str]]) -> Search:
    """With the best embedder that is installed."""
    return _searching(records, choose_embedder())


def light(records: Iterable[Mapping[str, str]]) -> Search:
    return _searching(records, choose_embedder("light"))


def words(records: Iterable[Mapping[str, str]]) -> Search:
    return _searching(records, None)


def _searching(records: Iterable[Mapping[str, str]], embedder: Embedder | None) -> Search:
    folder = tempfile.TemporaryDirectory(prefix="ambidex-eval-")
    engine = open_kb(Path(folder.name) / "kb.sqlite3", embedder=embedder)
    theirs: dict[str, str] = {}
    with engine.writer() as writer, writer.together():
        for record in records:
            ours = _id(record["id"])
            theirs[ours] = record["id"]
            raw = {"id": ours, "title": _title(record), "text": record["text"]}
            writer.put([parse_record(raw, default_updated=_WHEN)], origin=ours, digest="")
    if embedder is not None:
        Embedding(engine, embedder).run()

    def search(query: str, most: int) -> list[str]:
        found = engine.search(query, Filters(("studio",)), top_k=most)
        return [theirs[hit.record.id] for hit in found.hits]

    # The folder lives as long as the search does.
    search.folder = folder  # type: ignore[attr-defined]
    return search


def _id(theirs: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", theirs.lower()).strip("-")[:60] or "record"
    return f"doc:{slug}-{hashlib.sha256(theirs.encode()).hexdigest()[:10]}"


def _title(record: Mapping[str, str]) -> str:
    return " ".join(record["title"].split())[:MAX_TITLE] or record["id"]

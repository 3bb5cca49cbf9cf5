"""Bases to test with: records of a few words, and an embedder that needs no model."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ambidex.capabilities.kb.background import Embedding
from ambidex.capabilities.kb.record import Record, parse_record
from ambidex.capabilities.kb.sqlite.engine import SqliteEngine, open_kb

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Row, Rows

WHEN = "2026-03-01T09:30:00Z"


class WordHashes:
    """A real embedder of the poorest kind: texts are near when they share words."""

    relevance = 0.2

    def __init__(self, dim: int = 64, identity: str = "word-hashes@1") -> None:
        self.dim, self.identity = dim, identity

    def embed(self, texts: Sequence[str]) -> Rows:
        rows: Rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                row[zlib.crc32(f"{self.identity} {word.strip('.,?!')}".encode()) % self.dim] += 1
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return rows

    def embed_query(self, text: str) -> Row:
        row: Row = self.embed([text])[0]
        return row


def record(id: str, text: str = "", **fields: Any) -> Record:
    return parse_record({"id": id, "title": id.partition(":")[2], "text": text, **fields}, default_updated=WHEN)


def base(folder: Path, *records: Record, embedder: WordHashes | None = None) -> SqliteEngine:
    """A base of these records, each from an origin of its own name, embedded if there is an embedder."""
    engine = open_kb(folder / "kb.sqlite3", embedder=embedder)
    put(engine, *records)
    if embedder is not None:
        Embedding(engine, embedder).run()
    return engine


def put(engine: SqliteEngine, *records: Record) -> None:
    with engine.writer() as writer, writer.together():
        for one in records:
            writer.put([one], origin=one.id, digest="1")

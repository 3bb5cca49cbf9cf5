"""An embedder that remembers: the same question is routed and answered, and the same sentences are compared again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Embedder, Row, Rows

MOST = 4_096
"""Vectors that are kept; 6 MB of MiniLM's."""


class Remembering:
    """The vectors of an embedder, those used last kept. Thread-safe, as every embedder is."""

    def __init__(self, embedder: Embedder, most: int = MOST) -> None:
        self.identity, self.dim, self.relevance = embedder.identity, embedder.dim, embedder.relevance
        self._embedder = embedder
        self._most = most
        self._kept: OrderedDict[tuple[str, bool], Row] = OrderedDict()
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> Rows:
        import numpy as np

        rows = {text: self._known(text, query=False) for text in texts}
        new = [text for text, row in rows.items() if row is None]
        for text, row in zip(new, self._embedder.embed(new) if new else (), strict=True):
            rows[text] = self._keep(text, row, query=False)
        together: Rows = np.array([rows[text] for text in texts], np.float32).reshape(len(texts), self.dim)
        return together

    def embed_query(self, text: str) -> Row:
        row = self._known(text, query=True)
        return self._keep(text, self._embedder.embed_query(text), query=True) if row is None else row

    def _known(self, text: str, *, query: bool) -> Row | None:
        with self._lock:
            if (row := self._kept.get((text, query))) is not None:
                self._kept.move_to_end((text, query))
            return row

    def _keep(self, text: str, row: Row, *, query: bool) -> Row:
        with self._lock:
            self._kept[text, query] = row
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return row

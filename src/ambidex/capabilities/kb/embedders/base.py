"""What turns text into vectors, as a type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy

    Rows = numpy.ndarray[tuple[int, int], numpy.dtype[numpy.float32]]
    Row = numpy.ndarray[tuple[int], numpy.dtype[numpy.float32]]


class Embedder(Protocol):
    """Blocking, thread-safe, and slow to start: files are read with the first text."""

    @property
    def identity(self) -> str:
        """Vectors of different identities cannot be compared. An index records it."""
        ...

    @property
    def dim(self) -> int: ...

    @property
    def relevance(self) -> float:
        """The cosine of question and passage below which they may share words, but no meaning. Measured."""
        ...

    def embed(self, texts: Sequence[str]) -> Rows:
        """A row of length one for each text; it depends on that text alone."""
        ...

    def embed_query(self, text: str) -> Row: ...

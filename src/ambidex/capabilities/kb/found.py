"""What a search brings back."""

from __future__ import annotations

from dataclasses import dataclass

from ambidex.capabilities.kb.record import Record


@dataclass(frozen=True, slots=True)
class Hit:
    """One record; its best passage decided."""

    record: Record
    score: float
    """0 to 1. It orders the hits of one search and says nothing across searches."""
    snippet: str
    similarity: float | None = None
    """The raw cosine of the best passage; None without an embedder."""
    marks: tuple[tuple[int, int], ...] = ()
    """Where words of the query stand in the snippet: start and end of each, in characters."""


@dataclass(frozen=True, slots=True)
class Found:
    hits: tuple[Hit, ...]
    """Best first, each record once."""
    nothing_relevant: bool
    """The hits share words with the query, and not its meaning."""
    query_time_ms: float

"""The limits of a mode. A mode is data: nothing else in the pipeline asks whether a session is voice or text."""

from __future__ import annotations

from dataclasses import dataclass

from ambidex.contracts.call import Mode


@dataclass(frozen=True, slots=True)
class Limits:
    """What one turn may use, and what a session may wait for."""

    retrieval: int
    total: int
    discovery: int
    refusals: int
    retries: int
    retrieval_ms: float
    """What a look-up should take; going over is told, not stopped."""
    turn_ms: float | None
    """What the calls of a turn should take together; None where nobody waits in silence."""


VOICE = Limits(retrieval=2, total=3, discovery=2, refusals=10, retries=1, retrieval_ms=800, turn_ms=1500)
TEXT = Limits(retrieval=5, total=8, discovery=5, refusals=10, retries=3, retrieval_ms=2000, turn_ms=None)

DEFAULTS: dict[Mode, Limits] = {Mode.VOICE: VOICE, Mode.TEXT: TEXT}


MAX_DEPTH = 2
"""How deep tools may call tools: a child, and a child of that."""


@dataclass(frozen=True, slots=True)
class ConfirmationLimits:
    ttl_ms: int = 300_000
    pending: int = 3
    """In a conversation."""
    hourly: int = 10
    tokens: int = 10
    """Good at the same time for one request; the next one retires the oldest."""
    wrong: int = 10
    """Wrong tokens from one user in the window before the door closes."""
    window_ms: int = 300_000


@dataclass(frozen=True, slots=True)
class Retention:
    reads: int = 100
    """Recorded answers of reads that a session keeps."""
    rows_ms: int = 86_400_000
    """How long rows are kept at least; a write's key is never forgotten earlier."""
    writes: int = 1_000_000
    """Rows of writes that the store holds before it refuses new ones."""

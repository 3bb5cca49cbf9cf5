"""Which records a search may find at all."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Filters:
    """Every condition must hold. No namespaces: no records."""

    namespaces: tuple[str, ...]
    type: str | None = None
    tags: tuple[str, ...] = ()
    """All of them, in any letter case."""
    start: str | None = None
    """Earliest `last_updated`, inclusive: RFC 3339 with any offset."""
    end: str | None = None
    """Latest `last_updated`, inclusive."""

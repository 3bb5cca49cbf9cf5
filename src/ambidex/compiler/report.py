"""What a build says when it is done."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ambidex.contracts.problem import Problem


@dataclass(frozen=True, slots=True)
class BuildReport:
    version: str
    tools: tuple[str, ...]
    """Ids, sorted."""
    warnings: list[Problem]
    path: Path
    reused: int = 0
    """How many tools were taken from the last build because nothing in their folder changed."""
    changed: bool = True
    """False when the artifact on disk was already this one, and was left alone."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """Whether an artifact is what a build would write now."""

    fresh: bool
    reason: str
    built: str
    """Version of the artifact on disk; empty where there is none."""
    current: str
    """Version that a build would give."""
    warnings: list[Problem] = field(default_factory=list)

"""What an import tells: each thing refused with its place, each thing left alone, and how many of everything."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Refusal:
    """One file, line or row that was not imported."""

    path: str
    line: int | None
    """1-based; None when it is about the whole file."""
    why: str
    """Ends in what to do about it."""

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place} {self.why}"


class Unfit(Exception):
    """Part of a file is no record; whoever knows the file makes a `Refusal` of it."""

    def __init__(self, why: str, line: int | None = None) -> None:
        self.why, self.line = why, line
        super().__init__(why)


@dataclass(slots=True)
class Summary:
    """Counts of records; the importer alone writes it."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    vanished: int = 0
    """Still in the base although their file or row is gone: what `prune` would have removed."""
    refused: list[Refusal] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """Files in folders that are of no kind this reads, and links to what is imported anyway."""

    @property
    def written(self) -> int:
        return self.added + self.changed

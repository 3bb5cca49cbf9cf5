"""What a build found wrong: where, what, and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """`path:line:column CODE severity message; how to mend it`."""

    code: str
    severity: Severity
    path: str
    """Relative to the tools folder's parent, with forward slashes."""
    line: int
    column: int
    message: str
    fix: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column} {self.code} {self.severity} {self.message}; {self.fix}"

"""What a lint is."""

from __future__ import annotations

from dataclasses import dataclass

from ambidex.contracts.problem import Severity

ERROR, WARNING = Severity.ERROR, Severity.WARNING


@dataclass(frozen=True, slots=True)
class Rule:
    """One lint."""

    code: str
    name: str
    severity: Severity
    title: str
    """What must hold, as a sentence."""
    why: str
    mend: str
    example: str = ""
    """A wrong piece and the right one, where that helps."""

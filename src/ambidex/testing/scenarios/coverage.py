"""Which ways to fail a guide names, and which of them a scenario shows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ambidex.authoring.guide import read_guide
from ambidex.contracts.faults import ErrorType
from ambidex.testing.scenarios.read import Scenario

_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+[*_`]*([A-Z][A-Z_]+)\b")


@dataclass(frozen=True, slots=True)
class FailureMode:
    type: str
    scenarios: tuple[str, ...]
    """Names of those that expect it; without one, nobody knows whether the guide is true."""


def failure_modes(guide: str, scenarios: Iterable[Scenario]) -> list[FailureMode]:
    """In the guide's order."""
    showing: dict[str, list[str]] = {}
    for scenario in scenarios:
        kind = scenario.expect.get("error", {}).get("type", "")
        showing.setdefault(kind, []).append(scenario.name)
    return [FailureMode(kind, tuple(showing.get(kind, ()))) for kind in named(guide)]


def named(guide: str) -> list[str]:
    """The error types that the items under Failure Modes begin with."""
    sections = read_guide(guide, "guide.md").sections
    if "Failure Modes" not in sections:
        return []
    begin = sections["Failure Modes"]
    end = min((line for line in sections.values() if line > begin), default=len(guide.splitlines()) + 1)
    items = (_ITEM.match(line) for line in guide.splitlines()[begin : end - 1])
    found = [item.group(1) for item in items if item]
    return [kind for kind in dict.fromkeys(found) if kind in ErrorType.__members__.values()]

"""What a declaration says of a tool besides its parameters. The compiler makes one for all providers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.contracts.call import SideEffects


@dataclass(frozen=True, slots=True)
class Declared:
    name: str
    description: str
    side_effects: SideEffects
    idempotent: bool
    untrusted: bool = False
    """Its results carry text written by outsiders."""
    title: str | None = None
    response: Mapping[str, Any] | None = None
    """JSON Schema of `data`."""


def described_as(tool: Declared) -> dict[str, Any]:
    """The two members that every declaration begins with."""
    return {"name": tool.name, "description": tool.description}

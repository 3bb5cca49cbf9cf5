"""One thing the doctor looked at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    NOTE = "note"
    """Worth knowing; nothing fails because of it."""
    BROKEN = "broken"
    MISSING = "missing"
    """Something has to be installed."""


@dataclass(frozen=True, slots=True)
class Finding:
    area: str
    name: str
    state: State
    detail: str
    next: str = ""
    """What to do about it; empty when nothing."""

"""One entry of a file: what a digest is taken of, and how to get the fields out of it once that is worth while."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Fields:
    """What stands in the file, unchecked."""

    values: Mapping[str, Any]
    lines: Mapping[str, int] = field(default_factory=dict)
    """Field -> line, where fields have lines of their own."""


@dataclass(frozen=True, slots=True)
class Entry:
    line: int
    data: bytes
    """Unchanged bytes are an unchanged record."""
    fields: Callable[[], Fields]
    """Raises `Unfit`."""

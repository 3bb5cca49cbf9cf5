"""An authored schema that passed the screen: every place in it by pointer, and where each reference leads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Document:
    root: dict[str, Any]
    places: Mapping[str, Any]
    """Pointer -> the schema there. Values that are data are no places."""
    targets: Mapping[str, str]
    """`$ref` as written -> the pointer it names."""

    def as_written(self) -> dict[str, Any]:
        """The schema to pass through: all but `$schema`, which providers do not take."""
        return {keyword: value for keyword, value in self.root.items() if keyword != "$schema"}

"""How large a strict schema may be, in all: OpenAI's published limits."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ambidex.adapters.conversion import Losses

_LEVELS = 10
_PROPERTIES = 5_000
_VALUES = 1_000
_CHARACTERS = 120_000
_LONG_ENUM = 250
_LONG_ENUM_CHARACTERS = 15_000


class Limits:
    """Counts along with a conversion; `check` names what went over."""

    def __init__(self, obstacles: Losses) -> None:
        self._obstacles = obstacles
        self._levels = self._properties = self._values = self._characters = 0

    def count_level(self, depth: int) -> None:
        """Objects inside objects as written, the outermost being the first; a reference starts anew."""
        self._levels = max(self._levels, depth)

    def count_names(self, names: Collection[str]) -> None:
        self._properties += len(names)
        self._characters += sum(map(len, names))

    def count_values(self, pointer: str, values: list[Any]) -> None:
        length = sum(len(value) for value in values if isinstance(value, str))
        if len(values) > _LONG_ENUM and length > _LONG_ENUM_CHARACTERS:
            self._obstacles.add(pointer, f"enum of more than {_LONG_ENUM_CHARACTERS} characters")
        self._values += len(values)
        self._characters += length

    def check(self) -> None:
        if self._levels > _LEVELS:
            self._obstacles.add("", f"nesting deeper than {_LEVELS}")
        if self._properties > _PROPERTIES:
            self._obstacles.add("", f"more than {_PROPERTIES} properties")
        if self._values > _VALUES:
            self._obstacles.add("", f"more than {_VALUES} enum values")
        if self._characters > _CHARACTERS:
            self._obstacles.add("", f"more than {_CHARACTERS} characters of names and values")

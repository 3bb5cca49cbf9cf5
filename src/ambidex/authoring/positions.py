"""Where each value of a JSON text stands. Used only once something is wrong, so it may be slow and must be right."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]

from ambidex.dialect.pointer import child

_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"[^\s,\]}]+")


@dataclass(slots=True)
class Positions:
    """Offsets by JSON pointer, for a text that `json.loads` accepts."""

    text: str
    values: dict[str, int] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    repeated: list[str] = field(default_factory=list)
    """Pointers of keys that occur twice; `keys` has the second place."""

    def __post_init__(self) -> None:
        self._value(self._skip(0), "")

    def line_column(self, pointer: str) -> tuple[int, int]:
        """Of the key that `pointer` names, or of the value in an array; else of the nearest one above."""
        while pointer not in self.values and pointer:
            pointer = pointer.rpartition("/")[0]
        return line_column(self.text, self.keys.get(pointer, self.values.get(pointer, 0)))

    def value_line_column(self, pointer: str) -> tuple[int, int]:
        """Of the value itself."""
        return line_column(self.text, self.values[pointer]) if pointer in self.values else self.line_column(pointer)

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def _value(self, at: int, pointer: str) -> int:
        self.values[pointer] = at
        opening = self.text[at]
        if opening == "{":
            return self._object(at, pointer)
        if opening == "[":
            return self._array(at, pointer)
        if opening == '"':
            return int(scanstring(self.text, at + 1, False)[1])
        scalar = _SCALAR.match(self.text, at)
        return scalar.end() if scalar else at + 1

    def _object(self, at: int, pointer: str) -> int:
        at = self._skip(at + 1)
        while self.text[at] != "}":
            key_at = at
            key, at = scanstring(self.text, at + 1, False)
            here = child(pointer, key)
            if here in self.keys:
                self.repeated.append(here)
            self.keys[here] = key_at
            at = self._skip(self._value(self._skip(self._skip(at) + 1), here))
            if self.text[at] == ",":
                at = self._skip(at + 1)
        return at + 1

    def _array(self, at: int, pointer: str) -> int:
        at = self._skip(at + 1)
        index = 0
        while self.text[at] != "]":
            at = self._skip(self._value(at, child(pointer, index)))
            index += 1
            if self.text[at] == ",":
                at = self._skip(at + 1)
        return at + 1


def line_column(text: str, offset: int) -> tuple[int, int]:
    """1-based, as editors count."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)

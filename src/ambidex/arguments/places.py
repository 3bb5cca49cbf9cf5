"""Where in the arguments something is wrong: as a JSON pointer and in words, without ever repeating what a model wrote.

A name is repeated if the schema knows it, or if it looks like an identifier: then it is a name and no message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ambidex.dialect.keywords import walk
from ambidex.dialect.pointer import from_path

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


class Names:
    """The property names of one schema."""

    __slots__ = ("_known",)

    def __init__(self, schema: Any) -> None:
        nodes = (node for _, node in walk(schema) if isinstance(node, dict))
        self._known = frozenset(name for node in nodes for name in node.get("properties", ()))

    def quotable(self, name: str) -> bool:
        return name in self._known or _IDENTIFIER.fullmatch(name) is not None

    def quoted(self, path: Iterable[str | int]) -> list[str | int]:
        """The path as far as it may be repeated."""
        kept: list[str | int] = []
        for step in path:
            if isinstance(step, str) and not self.quotable(step):
                break
            kept.append(step)
        return kept

    def pointer(self, path: Sequence[str | int]) -> str:
        return from_path(self.quoted(path))

    def words(self, path: Sequence[str | int]) -> str:
        """`filters.type`, `items[2].name`; the start of a sentence."""
        kept = self.quoted(path)
        text = ""
        for step in kept:
            text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
        if len(kept) == len(path):
            return text or "the arguments"
        return f"a value inside {text or 'the arguments'}"


def value_at(args: Any, path: Iterable[str | int]) -> Any:
    """What stands at a path of the validator, which leaves out keys that are empty; `{}` where that leads nowhere."""
    for step in path:
        try:
            args = args[step]
        except (LookupError, TypeError):
            return {}
    return args

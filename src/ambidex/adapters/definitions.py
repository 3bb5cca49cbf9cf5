"""`$defs` of a converted schema: only what it refers to, wherever in the authored schema that stood."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from ambidex.adapters.document import Document
from ambidex.dialect.pointer import child, tokens


class Definitions:
    """Names each target once, and hands out every one to be converted."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._names: dict[str, str] = {}
        self._waiting: list[str] = []
        self._taken = set(document.root.get("$defs", ()))

    def reference(self, ref: str) -> dict[str, Any]:
        """The `$ref` to write in the converted schema."""
        target = self._document.targets[ref]
        if not target:
            return {"$ref": "#"}
        if target not in self._names:
            self._names[target] = self._name(target)
            self._waiting.append(target)
        return {"$ref": quote(child("#/$defs", self._names[target]), safe="#/$~")}

    def unfold(self) -> Iterator[tuple[str, str, Any]]:
        """Name, pointer and schema of each target, also of those met while converting earlier ones."""
        while self._waiting:
            target = self._waiting.pop(0)
            yield self._names[target], target, self._document.places[target]

    def _name(self, target: str) -> str:
        path = tokens(target)
        if len(path) == 2 and path[0] == "$defs":
            return path[1]
        name = path[-1]
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

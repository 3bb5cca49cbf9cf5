"""Filters as SQL. Every answer passes through here last, so that no index can leak a record that a filter excludes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.record import micros
from ambidex.capabilities.kb.search.words import storable


@dataclass(frozen=True, slots=True)
class Conditions:
    """A search's filters with times as numbers and tags folded, as the tables hold them."""

    namespaces: tuple[str, ...]
    type: str | None
    tags: tuple[str, ...]
    start: int | None
    end: int | None

    @property
    def sql(self) -> tuple[str, list[object]]:
        """A condition on `records r`, with its values."""
        marks = ", ".join("?" * len(self.namespaces))
        parts, values = [f"r.namespace IN ({marks})"], list[object](self.namespaces)
        for column, value in (("r.type =", self.type), ("r.updated >=", self.start), ("r.updated <=", self.end)):
            if value is not None:
                parts.append(f"{column} ?")
                values.append(value)
        for tag in self.tags:
            parts.append("EXISTS (SELECT 1 FROM tags t WHERE t.tag = ? AND t.row = r.row)")
            values.append(tag)
        return " AND ".join(parts), values


def conditions(filters: Filters) -> Conditions:
    """Raises `RecordError` when `start` or `end` is no time."""
    return Conditions(
        tuple(map(storable, filters.namespaces)),
        None if filters.type is None else storable(filters.type),
        tuple(dict.fromkeys(map(folded, filters.tags))),
        None if filters.start is None else micros(filters.start, "start"),
        None if filters.end is None else micros(filters.end, "end"),
    )


@lru_cache(4_096)
def folded(tag: str) -> str:
    """Tags are the same whatever their letter case and spacing."""
    return " ".join(storable(tag).split()).casefold()

"""Which records an answer stands on: given by a tool in this turn, and named in the text by their ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ambidex.agents.events import Cited

_DEEPEST = 4
_SHORTEST = 3
"""An id of one or two characters would be found in any sentence."""


def records_in(data: Any, depth: int = 0) -> Iterator[Cited]:
    """Whatever in a result has an id and a title."""
    if depth > _DEEPEST:
        return
    if isinstance(data, Mapping):
        id, title, url = data.get("id"), data.get("title"), data.get("url")
        if isinstance(id, str) and isinstance(title, str) and len(id) >= _SHORTEST:
            yield Cited(id, title, url if isinstance(url, str) else None)
    below = data.values() if isinstance(data, Mapping) else data if isinstance(data, list | tuple) else ()
    for item in below:
        yield from records_in(item, depth + 1)


def cited_in(text: str, records: Mapping[str, Cited]) -> list[Cited]:
    """The records that the text names, in the order of their first mention. A longer id is not its own beginning."""
    places = {id: re.search(rf"(?<![\w:-]){re.escape(id)}(?![\w-])", text) for id in records}
    found = [(place.start(), id) for id, place in places.items() if place is not None]
    return [records[id] for _, id in sorted(found)]

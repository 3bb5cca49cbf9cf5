"""A second look: what one part of the base does not hold, another may.

A search goes through one namespace. Nobody who asks for the Tide Clock knows which one it is in; so where a name was
not found, or nothing was, the other namespaces are searched, too, one after another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from ambidex.capabilities.kb.search.words import content_roots
from ambidex.offline.questions import names_in
from ambidex.transports.items import Item, ResultItem, StepItem, UserItem
from ambidex.transports.untrusted import unwrap

SEARCH = "kb_search"


@dataclass(frozen=True, slots=True)
class Looked:
    """One search of this turn, and what it brought."""

    args: Mapping[str, Any]
    ok: bool
    data: Mapping[str, Any]

    @property
    def results(self) -> list[Mapping[str, Any]]:
        """Those that are about the question."""
        found: list[Mapping[str, Any]] = self.data.get("results") or []
        return [] if self.data.get("nothing_relevant") else found


def looked(items: Sequence[Item]) -> list[Looked]:
    """The searches since the user spoke, in their order."""
    start = next((n for n in reversed(range(len(items))) if isinstance(items[n], UserItem)), 0)
    asked = {call.id: call.args for item in items[start:] if isinstance(item, StepItem) for call in item.calls}
    return [
        Looked(orjson.loads(asked[item.call_id]), item.ok, _data(item))
        for item in items[start:]
        if isinstance(item, ResultItem) and item.name == SEARCH and item.call_id in asked
    ]


def elsewhere(question: str, searches: Sequence[Looked], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments of the next search; None where it was found, or the user said where to look."""
    part = schema.get("properties", {}).get("namespace", {})
    if not searches or not searches[0].ok or "namespace" in searches[0].args or _found(question, searches):
        return None
    tried = [search.args.get("namespace", part.get("default")) for search in searches]
    left = [namespace for namespace in part.get("enum", ()) if namespace not in tried]
    return {**searches[0].args, "namespace": left[0]} if left else None


def together(question: str, searches: Sequence[Looked]) -> dict[str, Any]:
    """All that was found, as one result: first the records that hold the names asked for."""
    names = content_roots(" ".join(names_in(question)))
    results = [record for search in searches for record in search.results]
    results.sort(key=lambda record: -len(names & _roots(record)))
    return {"results": results, "nothing_relevant": not results}


def _found(question: str, searches: Sequence[Looked]) -> bool:
    names = content_roots(" ".join(names_in(question)))
    return any(names <= _roots(record) for search in searches for record in search.results)


def _roots(record: Mapping[str, Any]) -> set[str]:
    return content_roots(f"{record.get('title')} {record.get('full_text') or record.get('snippet') or ''}")


def _data(item: ResultItem) -> Mapping[str, Any]:
    data = unwrap(item.body.get("data"))
    return data if isinstance(data, Mapping) else {}

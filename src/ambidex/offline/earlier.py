"""Records that were found earlier in the conversation, when the user points at them: "open the second one"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ambidex.transports.items import Item, ResultItem, StepItem
from ambidex.transports.untrusted import unwrap

_PLACES = (
    (0, r"\b(?:first|1st|top|that|this|it)\b"),
    (1, r"\b(?:second|2nd|other)\b"),
    (2, r"\b(?:third|3rd)\b"),
)
_BOTH = re.compile(r"\bboth\b|\bthe two\b", re.IGNORECASE)


def ids_meant(text: str, before: Sequence[Item]) -> dict[str, Any]:
    """Arguments of kb_get, by the place of a record among those found last; empty where that cannot be told."""
    ids = _found_last(before)
    if _BOTH.search(text) and len(ids) > 1:
        return {"ids": ids[:2]}
    for place, shape in reversed(_PLACES):
        if len(ids) > place and re.search(shape, text, re.IGNORECASE):
            return {"id": ids[place]}
    return {}


def _found_last(before: Sequence[Item]) -> list[str]:
    """In the order the user read them: that of the answer, then that of the result."""
    for number in reversed(range(len(before))):
        item = before[number]
        if isinstance(item, ResultItem) and item.ok and item.name in ("kb_search", "kb_get"):
            said = next((later.text for later in before[number:] if isinstance(later, StepItem)), "")
            return sorted(_ids(item), key=lambda id: said.find(id) if id in said else len(said))
    return []


def _ids(item: ResultItem) -> list[str]:
    data = unwrap(item.body.get("data"))
    records = data.get("results") or data.get("records") or [] if isinstance(data, dict) else []
    return [str(record["id"]) for record in records if isinstance(record, dict) and "id" in record]

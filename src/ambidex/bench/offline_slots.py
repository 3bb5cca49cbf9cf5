"""Whether arguments are those that an utterance asks for: the same moment, the same words, nothing made up."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson

from ambidex.transports.items import StepItem

_OURS = frozenset({"return_fields"})
"""Arguments that come from the dialogue and not from what was said."""


def right_slots(line: Mapping[str, Any], step: StepItem, asks: Mapping[str, Any] | None) -> tuple[int, int]:
    """How many slots are right, of those expected and those made up. A line may expect to be asked back instead."""
    if "asks" in line:
        return int(asks is not None and asks["slot"] == line["asks"]), 1
    args: dict[str, Any] = orjson.loads(step.calls[0].args) if step.calls else {}
    expected: Mapping[str, Any] = line["slots"]
    made_up = args.keys() - expected.keys() - _OURS
    right = sum(_matches(wanted, args.get(name)) for name, wanted in expected.items())
    # A line without slots is right when nothing was made up, and it was not asked back.
    alone = not expected
    return right + int(alone and not made_up and bool(step.calls)), len(expected) + len(made_up) + int(alone)


def _matches(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, Mapping) and wanted.keys() <= {"has", "lacks"}:
        text = str(got or "").lower()
        has = all(word.lower() in text for word in wanted.get("has", ()))
        return has and not any(word.lower() in text for word in wanted.get("lacks", ()))
    if isinstance(wanted, str) and isinstance(got, str):
        return wanted.lower() == got.lower() or _is_same_moment(wanted, got)
    return bool(wanted == got)


def _is_same_moment(one: str, other: str) -> bool:
    try:
        return datetime.fromisoformat(one) == datetime.fromisoformat(other)
    except (ValueError, TypeError):
        return False

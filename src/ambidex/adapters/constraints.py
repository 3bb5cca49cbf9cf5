"""Which keywords constrain values of which type, and how those that a dialect lacks are reported and told."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from ambidex.adapters.conversion import Losses
from ambidex.adapters.describe import note
from ambidex.adapters.merge import WHOLE_VALUE, Merged, Placed
from ambidex.dialect.formats import NUMBER_FORMATS, STRING_FORMATS

_NUMERIC = frozenset("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split())

CONSTRAINTS: dict[str, frozenset[str]] = {
    "string": frozenset("minLength maxLength pattern contentEncoding contentMediaType contentSchema".split()),
    "integer": _NUMERIC,
    "number": _NUMERIC,
    "boolean": frozenset(),
    "null": frozenset(),
    "array": frozenset(
        "minItems maxItems uniqueItems prefixItems contains minContains maxContains unevaluatedItems".split()
    ),
    "object": frozenset(
        "minProperties maxProperties patternProperties propertyNames dependentRequired dependentSchemas "
        "unevaluatedProperties".split()
    ),
}
"""Type -> its keywords, besides `enum`, `format` and those that hold the members of objects and arrays."""

_UNTOLD = frozenset({"patternProperties", "items"})
"""Named in the report alone: a rule about names or places that the converted schema does not have."""

_NEEDS: dict[str, tuple[str, ...]] = {
    "if": ("then", "else"),
    "then": ("if",),
    "else": ("if",),
    "minContains": ("contains",),
    "maxContains": ("contains",),
}
"""Keywords that mean nothing without one of these beside them."""


def report(merged: Merged, keywords: Collection[str], losses: Losses) -> list[str]:
    """Name each of `keywords` that constrains this node as lost; the answer is what to tell the model."""
    present = [placed for keyword, placed in merged.keywords.items() if keyword in keywords]
    return report_placed([each for each in present if not _idle(each, merged.keywords)], losses) if present else []


def report_whole(merged: Merged, losses: Losses) -> list[str]:
    """The same for what no dialect has, and for what merging put aside."""
    return report(merged, WHOLE_VALUE, losses) + report_placed(merged.aside, losses)


def report_placed(lost: Iterable[Placed], losses: Losses) -> list[str]:
    notes = []
    for keyword, pointer, value, _ in lost:
        losses.add(pointer, f"{keyword} has no counterpart")
        if keyword not in _UNTOLD and (told := note(keyword, value)):
            notes.append(told)
    return notes


def _idle(placed: Placed, beside: dict[str, Any]) -> bool:
    if placed.keyword in _NEEDS:
        return not any(other in beside for other in _NEEDS[placed.keyword])
    if placed.keyword == "uniqueItems":
        return placed.value is False
    return placed.keyword.startswith("unevaluated") and placed.value is True


def format_matters(name: str, kind: str) -> bool:
    """Whether the format says anything about values of this type."""
    if kind == "string":
        return name in STRING_FORMATS
    return kind in ("integer", "number") and name in NUMBER_FORMATS

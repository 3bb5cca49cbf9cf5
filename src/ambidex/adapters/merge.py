"""Several schemas that hold at once, as one: a node with its `allOf` and whatever its `$ref` names.

Merging may loosen, never tighten; what has no room in one schema is kept aside for the caller to report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ambidex.adapters.conversion import Losses, Unfit
from ambidex.adapters.document import Document
from ambidex.adapters.values import allowed_types, holds
from ambidex.dialect.keywords import ANNOTATIONS, IDENTITY
from ambidex.dialect.pointer import child

MAX_PARTS = 5_000
"""References may double at every step; a schema that unfolds into more than this is refused, not unfolded."""

CONFLICT = "conflicts with a schema that holds beside it"
NOTHING_FITS = "schema that nothing satisfies"
WHOLE_VALUE = frozenset("not if then else".split())
"""Constraints on a value of whatever type, which no provider's dialect has."""

_ABSENT_FROM_COPIES = ANNOTATIONS | WHOLE_VALUE
_SILENT = (IDENTITY | ANNOTATIONS | {"$defs"}) - {"title", "description", "default"}


class Part(NamedTuple):
    """One schema among those that hold at once."""

    pointer: str
    schema: Any
    trail: frozenset[str]
    """The references followed to get here; meeting one again is a circle."""


class Placed(NamedTuple):
    """A keyword's value and where it was authored."""

    keyword: str
    pointer: str
    value: Any
    trail: frozenset[str]


class Choice(NamedTuple):
    """`anyOf` or `oneOf`."""

    keyword: str
    pointer: str
    branches: list[Part]


@dataclass(slots=True)
class Merged:
    """What all parts demand together."""

    pointer: str
    keywords: dict[str, Placed] = field(default_factory=dict)
    properties: dict[str, list[Part]] = field(default_factory=dict)
    required: dict[str, str] = field(default_factory=dict)
    """Name -> the `required` that asks for it."""
    items: list[Part] = field(default_factory=list)
    choice: Choice | None = None
    aside: list[Placed] = field(default_factory=list)
    """Constraints that the parts already hold in another form."""
    closed_to: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    """Each `additionalProperties` and the names it exempts."""

    def value(self, keyword: str) -> Any:
        placed = self.keywords.get(keyword)
        return None if placed is None else placed.value

    @property
    def place(self) -> str:
        """Where the type was authored, which behind a `$ref` is not where the node is."""
        placed = self.keywords.get("type")
        return self.pointer if placed is None else placed.pointer.removesuffix("/type")

    def constraints(self, pointer: str) -> Merged:
        """A copy to merge one branch of the choice into: no annotations, nothing that is reported once outside."""
        return Merged(
            pointer,
            {key: placed for key, placed in self.keywords.items() if key not in _ABSENT_FROM_COPIES},
            {name: list(parts) for name, parts in self.properties.items()},
            dict(self.required),
            list(self.items),
            closed_to=list(self.closed_to),
        )


class Merger:
    """Merges the nodes of one document, within one allowance for unfolding references."""

    def __init__(self, document: Document, losses: Losses) -> None:
        self._document = document
        self._losses = losses
        self._parts_left = MAX_PARTS

    def gather(self, parts: Iterable[Part], into: Merged | None = None) -> Merged:
        """All parts as one; raises `Unfit` where they contradict each other."""
        waiting = list(parts)[::-1]
        merged = into if into is not None else Merged(waiting[-1].pointer)
        while waiting:
            part = waiting.pop()
            self._spend(part)
            if part.schema is False:
                raise Unfit(part.pointer, NOTHING_FITS)
            if part.schema is not True:
                waiting.extend(reversed(self._add(merged, part)))
        self._report_closed(merged)
        return merged

    def _spend(self, part: Part) -> None:
        self._parts_left -= 1
        if self._parts_left < 0:
            raise Unfit(part.pointer, f"more than {MAX_PARTS} schemas once references are written out")

    def _add(self, merged: Merged, part: Part) -> list[Part]:
        """Put one part's own keywords into `merged`; the answer is the parts it refers to."""
        further: list[Part] = []
        for keyword, value in part.schema.items():
            pointer = f"{part.pointer}/{keyword}"
            if keyword == "$ref":
                further.append(self._follow(part, value))
            elif keyword == "$dynamicRef":
                raise Unfit(part.pointer, "$dynamicRef")
            elif keyword == "allOf":
                self._losses.add(pointer, "allOf is merged into one schema")
                further.extend(Part(child(pointer, index), each, part.trail) for index, each in enumerate(value))
            elif keyword not in _SILENT:
                _put(merged, part, Placed(keyword, pointer, value, part.trail))
        return further

    def _follow(self, part: Part, ref: str) -> Part:
        target = self._document.targets[ref]
        if target in part.trail:
            raise Unfit(part.pointer, "recursive $ref")
        return Part(target, self._document.places[target], part.trail | {target})

    def _report_closed(self, merged: Merged) -> None:
        for pointer, exempt in merged.closed_to:
            if not exempt.issuperset(merged.properties):
                self._losses.add(pointer, "closed to properties that a schema beside it declares")


def _put(merged: Merged, part: Part, new: Placed) -> None:
    if new.keyword == "properties":
        for name, schema in new.value.items():
            merged.properties.setdefault(name, []).append(Part(child(new.pointer, name), schema, part.trail))
    elif new.keyword == "required":
        for name in new.value:
            merged.required.setdefault(name, new.pointer)
    elif new.keyword == "items":
        _put_items(merged, part, new)
    elif new.keyword in ("anyOf", "oneOf"):
        _put_choice(merged, part, new)
    elif new.keyword == "const":
        _put_plain(merged, Placed("enum", new.pointer, [new.value], new.trail))
    elif new.keyword == "additionalProperties":
        _put_additional(merged, part, new)
    else:
        _put_plain(merged, new)


def _put_items(merged: Merged, part: Part, new: Placed) -> None:
    if new.value is False:
        merged.aside.append(new)
    elif new.value is not True:
        merged.items.append(Part(new.pointer, new.value, part.trail))


def _put_choice(merged: Merged, part: Part, new: Placed) -> None:
    if merged.choice is not None:
        merged.aside.append(new)
        return
    branches = [Part(child(new.pointer, index), each, part.trail) for index, each in enumerate(new.value)]
    merged.choice = Choice(new.keyword, new.pointer, branches)


def _put_additional(merged: Merged, part: Part, new: Placed) -> None:
    if new.value is not True:
        merged.closed_to.append((new.pointer, frozenset(part.schema.get("properties", ()))))
    old = merged.keywords.get(new.keyword)
    if old is None or new.value is False or old.value is True:
        merged.keywords[new.keyword] = new
    elif old.value is not False and new.value is not True:
        merged.aside.append(new)


def _put_plain(merged: Merged, new: Placed) -> None:
    old = merged.keywords.get(new.keyword)
    if old is None:
        merged.keywords[new.keyword] = new
    elif new.keyword in _COMBINE:
        merged.keywords[new.keyword] = _COMBINE[new.keyword](old, new)
    elif new.keyword not in ANNOTATIONS and old.value != new.value:
        merged.aside.append(new)


def _common_types(old: Placed, new: Placed) -> Placed:
    one, other = allowed_types(old.value), allowed_types(new.value)
    common = [each for each in one if each in other or (each == "integer" and "number" in other)]
    common += [each for each in other if each == "integer" and "number" in one]
    if not common:
        raise Unfit(new.pointer, CONFLICT)
    return old._replace(value=common[0] if len(common) == 1 else common)


def _common_values(old: Placed, new: Placed) -> Placed:
    common = [value for value in old.value if holds(new.value, value)]
    if not common:
        raise Unfit(new.pointer, CONFLICT)
    return old._replace(value=common)


def _greater(old: Placed, new: Placed) -> Placed:
    return new if new.value > old.value else old


def _lesser(old: Placed, new: Placed) -> Placed:
    return new if new.value < old.value else old


_COMBINE: dict[str, Callable[[Placed, Placed], Placed]] = {
    "type": _common_types,
    "enum": _common_values,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _greater),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _lesser),
}

"""Defaults: what a call left out, filled in as the schema says, nested and fresh for every call.

Compiled once for each schema, so that a schema without defaults costs nothing. Followed are `properties`, `items`,
`prefixItems`, `allOf` and local references: the places where a default is certain to apply. A default inside an object
applies when that object is there, or when its own default puts it there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ambidex.arguments.canonical import normalise
from ambidex.dialect.pointer import child, resolve


@dataclass(slots=True)
class _Plan:
    """What to fill in at one place; plans refer to each other as their schemas do, in circles too."""

    values: dict[str, Any] = field(default_factory=dict)
    inside: dict[str, _Plan] = field(default_factory=dict)
    items: list[_Plan] = field(default_factory=list)
    prefix: list[_Plan] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)
    """Property -> its step of a pointer, escaped once."""
    names: frozenset[str] = frozenset()
    """Of `values`."""
    flat: bool = False
    """Whether all values are scalars, which need no fresh copy."""
    useful: bool = False


class Defaults:
    """The defaults of one schema. True when there are any."""

    __slots__ = ("_plan",)

    def __init__(self, schema: dict[str, Any]) -> None:
        plans: dict[int, _Plan] = {}
        self._plan = _compile(schema, schema, plans)
        _mark_useful(list(plans.values()))
        _complete(self._plan, set())

    def __bool__(self) -> bool:
        return self._plan.useful

    def fill(self, args: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The arguments with defaults, and pointers to what was filled in. `args` itself stays as it is."""
        if not self._plan.useful:
            return args, ()
        filled: list[str] = []
        return _fill_object(self._plan, args, "", filled), tuple(filled)


def _compile(root: dict[str, Any], schema: Any, plans: dict[int, _Plan]) -> _Plan:
    if id(schema) in plans:
        return plans[id(schema)]
    plan = plans[id(schema)] = _Plan()
    for node in _same_place(root, schema):
        for name, below in node.get("properties", {}).items():
            if (default := _default_of(root, below)) is not _ABSENT:
                plan.values.setdefault(name, normalise(default))
            plan.inside[name] = _compile(root, below, plans)
            plan.tokens[name] = child("", name)
        if isinstance(node.get("items"), dict):
            plan.items.append(_compile(root, node["items"], plans))
        plan.prefix.extend(_compile(root, below, plans) for below in node.get("prefixItems", ()))
    return plan


def _same_place(root: dict[str, Any], schema: Any) -> list[dict[str, Any]]:
    """The schema and those that always apply beside it: through `$ref` and `allOf`."""
    found: list[dict[str, Any]] = []
    waiting = [schema]
    while waiting:
        node = waiting.pop(0)
        if not isinstance(node, dict) or any(node is seen for seen in found):
            continue
        found.append(node)
        waiting.extend(node.get("allOf", ()))
        reference = node.get("$ref")
        if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
            waiting.append(resolve(root, reference[1:]))
    return found


_ABSENT = object()


def _default_of(root: dict[str, Any], schema: Any) -> Any:
    """The nearest default wins: one beside a reference before one behind it."""
    for node in _same_place(root, schema):
        if "default" in node:
            return node["default"]
    return _ABSENT


def _mark_useful(plans: list[_Plan]) -> None:
    """A plan is useful if it fills something in, itself or below; repeated until circles have settled."""
    changed = True
    while changed:
        changed = False
        for plan in plans:
            below = [*plan.inside.values(), *plan.items, *plan.prefix]
            if not plan.useful and (plan.values or any(other.useful for other in below)):
                plan.useful = changed = True
    for plan in plans:
        plan.inside = {name: other for name, other in plan.inside.items() if other.useful}
        plan.items = [other for other in plan.items if other.useful]
        if not any(other.useful for other in plan.prefix):
            plan.prefix = []


def _complete(plan: _Plan, seen: set[int]) -> None:
    """Fills the defaults' own defaults, once, now. A schema that contains itself would have no end: it stops there."""
    if id(plan) in seen:
        return
    seen.add(id(plan))
    for other in [*plan.inside.values(), *plan.items, *plan.prefix]:
        _complete(other, seen)
    for name, value in plan.values.items():
        if name in plan.inside and plan.inside[name] is not plan:
            plan.values[name] = _fill(plan.inside[name], value, "", [])
    plan.names = frozenset(plan.values)
    plan.flat = not any(isinstance(value, (dict, list)) for value in plan.values.values())


def _fill(plan: _Plan, value: Any, pointer: str, filled: list[str]) -> Any:
    if type(value) is dict:
        return _fill_object(plan, value, pointer, filled)
    if type(value) is list and (plan.items or plan.prefix):
        return [_fill_item(plan, index, item, pointer, filled) for index, item in enumerate(value)]
    return value


def _fill_object(plan: _Plan, value: dict[str, Any], pointer: str, filled: list[str]) -> dict[str, Any]:
    result = value.copy()
    for name, below in plan.inside.items():
        if name in value:
            result[name] = _fill(below, value[name], pointer + plan.tokens[name], filled)
    missing = plan.names - value.keys()
    if missing:
        for name, default in plan.values.items():
            if name in missing:
                result[name] = default if plan.flat else _fresh(default)
                filled.append(pointer + plan.tokens[name])
    return result


def _fill_item(plan: _Plan, index: int, item: Any, pointer: str, filled: list[str]) -> Any:
    plans = [plan.prefix[index]] if index < len(plan.prefix) else plan.items
    for below in plans:
        item = _fill(below, item, child(pointer, index), filled)
    return item


def _fresh(value: Any) -> Any:
    if type(value) is dict:
        return {key: _fresh(item) for key, item in value.items()}
    if type(value) is list:
        return [_fresh(item) for item in value]
    return value

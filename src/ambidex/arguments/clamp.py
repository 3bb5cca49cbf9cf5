"""The tighter bounds of a mode (`modeLimits`): what is beyond them is changed, and told. Nothing else clamps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.arguments.canonical import normalise
from ambidex.arguments.wording import deref, literal
from ambidex.contracts.call import Mode

Clamped = dict[str, dict[str, Any]]
"""Parameter -> what it was and what it became."""


@dataclass(frozen=True, slots=True)
class Clamp:
    """The bounds of one top-level parameter in one mode."""

    name: str
    limits: Mapping[str, Any]
    mode: Mode
    own_words: bool
    """Whether every item is a word of the schema's own, which may be repeated; else only numbers of items are told."""

    def apply(self, value: Any) -> Any:
        """The value within bounds: the very same object when it already is."""
        if type(value) is list:
            return _shortened(_without(value, self.limits), self.limits)
        if type(value) in (int, float):
            return _bounded(value, self.limits)
        return value

    def record(self, before: Any, after: Any) -> dict[str, Any]:
        if type(before) is not list or self.own_words:
            return {"from": before, "to": after}
        return {"from": len(before), "to": len(after), "unit": "items"}

    def notice(self, before: Any, after: Any) -> str:
        if type(before) is not list:
            word = "lowered" if after < before else "raised"
            return f"{self.name} was {word} from {before} to {after}: the limit in {self.mode} mode"
        if self.own_words:
            kept = ", ".join(map(literal, after)) or "none"
            return f"{self.name} was changed to {kept}: the limit in {self.mode} mode"
        return f"{self.name} was cut from {len(before)} to {len(after)} items: the limit in {self.mode} mode"


class Clamps:
    """All bounds of one tool. True when there are any."""

    __slots__ = ("_by_mode",)

    def __init__(self, schema: dict[str, Any], limits: Mapping[Mode, Mapping[str, Mapping[str, Any]]] | None) -> None:
        self._by_mode = {
            mode: tuple(
                Clamp(name, normalise(dict(one)), mode, _own_words(schema, name)) for name, one in bounds.items()
            )
            for mode, bounds in (limits or {}).items()
        }

    def __bool__(self) -> bool:
        return bool(self._by_mode)

    def apply(self, args: dict[str, Any], mode: Mode) -> tuple[dict[str, Any], Clamped, tuple[str, ...]]:
        """The arguments within the bounds of `mode`, what was changed, and a sentence on each change."""
        clamps = self._by_mode.get(mode)
        if not clamps:
            return args, {}, ()
        changes = [
            (clamp, args[clamp.name], after)
            for clamp in clamps
            if clamp.name in args and (after := clamp.apply(args[clamp.name])) is not args[clamp.name]
        ]
        if not changes:
            return args, {}, ()
        return (
            args | {clamp.name: after for clamp, _, after in changes},
            {clamp.name: clamp.record(before, after) for clamp, before, after in changes},
            tuple(clamp.notice(before, after) for clamp, before, after in changes),
        )


def _bounded(value: float, limits: Mapping[str, Any]) -> float:
    if "maximum" in limits and value > limits["maximum"]:
        value = limits["maximum"]
    if "minimum" in limits and value < limits["minimum"]:
        value = limits["minimum"]
    return value


def _without(items: list[Any], limits: Mapping[str, Any]) -> list[Any]:
    """`items` less what `exclude` names; `otherwise` in their place when nothing is left."""
    excluded = limits.get("exclude")
    if not excluded:
        return items
    kept = [item for item in items if not any(_same(item, one) for one in excluded)]
    if len(kept) == len(items):
        return items
    return kept or list(limits.get("otherwise", ()))


def _shortened(items: list[Any], limits: Mapping[str, Any]) -> list[Any]:
    most = limits.get("maxItems")
    return items if most is None or len(items) <= most else items[:most]


def _same(one: Any, other: Any) -> bool:
    """As JSON sees it, where true is not 1."""
    return (type(one) is bool) == (type(other) is bool) and bool(one == other)


def _own_words(schema: dict[str, Any], name: str) -> bool:
    parameter = deref(schema, schema.get("properties", {}).get(name))
    return "enum" in deref(schema, parameter.get("items"))

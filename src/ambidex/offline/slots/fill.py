"""A tool's arguments from what was said, and the first one that is still missing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.offline.slots.heard import Heard
from ambidex.offline.slots.schema import by_schema
from ambidex.offline.slots.shipped import RULES

_ASKED_FOR = {"kb_get": ("id", "ids")}
"""Tools whose schema requires nothing, although one of these must be given."""


@dataclass(frozen=True, slots=True)
class Filled:
    args: dict[str, Any]
    missing: str | None = None
    """The first argument that is required and was not said."""


def fill(tool: str, schema: Mapping[str, Any], heard: Heard, tools: Collection[str] = ()) -> Filled:
    """By the tool's own rule, else by its schema. `tools`: what may be spoken about."""
    rule = RULES.get(tool)
    found = rule(heard, tools) if rule else by_schema(heard, schema)
    properties = schema.get("properties", {})
    args = {name: _cut(value, properties[name]) for name, value in found.items() if name in properties}
    return Filled(args, missing(tool, schema, args))


def missing(tool: str, schema: Mapping[str, Any], args: Mapping[str, Any]) -> str | None:
    either = _ASKED_FOR.get(tool, ())
    if either and not any(name in args for name in either):
        return either[0]
    return next((name for name in schema.get("required", ()) if name not in args), None)


def _cut(value: Any, about: Mapping[str, Any]) -> Any:
    """A text of the user's is cut to what the tool takes, rather than refused."""
    return value[: about["maxLength"]] if isinstance(value, str) and "maxLength" in about else value

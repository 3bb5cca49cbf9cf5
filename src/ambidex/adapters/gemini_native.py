"""Gemini's own `Schema`, the `parameters` field: for Live, and anywhere else.

A small dialect: one type per node, no references, enums of strings. References are written out, `allOf` is merged,
`oneOf` is read as `anyOf`; constraints it lacks are told in the description and named as losses.
"""

from __future__ import annotations

from typing import Any

from ambidex.adapters.bounds import write_inclusive
from ambidex.adapters.constraints import CONSTRAINTS, format_matters, report, report_placed, report_whole
from ambidex.adapters.conversion import Conversion, Losses, Unfit
from ambidex.adapters.declared import Declared, described_as
from ambidex.adapters.describe import described, values_note
from ambidex.adapters.document import Document
from ambidex.adapters.merge import Choice, Merged, Merger, Part
from ambidex.adapters.no_arguments import takes_no_arguments
from ambidex.adapters.values import allowed_types, is_of, types_in
from ambidex.dialect.keywords import MAX_SCHEMA_DEPTH

_CARRIED = frozenset(
    "minLength maxLength pattern minimum maximum minItems maxItems minProperties maxProperties".split()
)
_KEPT = {kind: keywords & _CARRIED for kind, keywords in CONSTRAINTS.items()}
_LOST = {kind: keywords - _CARRIED for kind, keywords in CONSTRAINTS.items()} | {"integer": frozenset({"multipleOf"})}
"""Exclusive bounds of integers are not lost but written as inclusive ones."""

_FORMATS = {"string": ("date-time",), "integer": ("int32", "int64"), "number": ("float", "double")}
"""The service is reported to refuse others on these types, though its documentation lists more."""


def convert(document: Document) -> Conversion:
    native = _Native(document)
    schema = native.root(document.root)
    return Conversion("convert", schema, native.losses.all())


def declare(tool: Declared, conversion: Conversion) -> dict[str, Any]:
    declaration = described_as(tool)
    if conversion.schema is not None:
        declaration["parameters"] = conversion.schema
    return declaration


class _Native:
    """One conversion under way."""

    def __init__(self, document: Document) -> None:
        self.losses = Losses()
        self._merger = Merger(document, self.losses)

    def root(self, schema: dict[str, Any]) -> dict[str, Any] | None:
        merged = self._merger.gather([Part("", schema, frozenset({""}))])
        if merged.choice is not None:
            raise Unfit(merged.choice.pointer, "root must be a plain object")
        return None if takes_no_arguments(merged, self.losses) else self._node(merged, 1)

    def _convert(self, parts: list[Part], depth: int) -> dict[str, Any]:
        return self._node(self._merger.gather(parts), depth)

    def _node(self, merged: Merged, depth: int) -> dict[str, Any]:
        if depth > MAX_SCHEMA_DEPTH:
            raise Unfit(merged.pointer, "nested too deep once references are written out")
        if merged.choice is not None:
            return self._choice(merged.choice, merged, depth)
        kinds, nullable = self._kinds(merged)
        if not kinds:
            raise Unfit(merged.place, "nothing but null")
        typed = [self._typed(kind, merged, depth) for kind in kinds]
        schema, notes = typed[0] if len(typed) == 1 else ({"anyOf": [_told(*each) for each in typed]}, [])
        return self._finish(schema, merged, notes, nullable)

    def _finish(self, schema: dict[str, Any], merged: Merged, notes: list[str], nullable: bool) -> dict[str, Any]:
        """Add what is said about the node as a whole."""
        notes = notes + report_whole(merged, self.losses)
        words = [merged.value("description"), schema.get("description")]
        text = described(" ".join(filter(None, words)) or None, notes)
        if text:
            schema["description"] = text
        if "title" in merged.keywords:
            schema["title"] = merged.value("title")
        if "default" in merged.keywords and "anyOf" not in schema:
            schema["default"] = merged.value("default")
        if nullable:
            schema["nullable"] = True
        return schema

    def _kinds(self, merged: Merged) -> tuple[list[str], bool]:
        """The types a value may have besides null, and whether null is one."""
        values = merged.value("enum")
        if "type" not in merged.keywords:
            kinds = _kinds_of_values(merged)
        else:
            kinds = allowed_types(merged.value("type"))
            if values is not None:
                kinds = [kind for kind in kinds if any(is_of(value, (kind,)) for value in values)]
        if not kinds:
            raise Unfit(merged.keywords["enum"].pointer, "enum without a value that the type allows")
        return [kind for kind in kinds if kind != "null"], "null" in kinds

    def _choice(self, choice: Choice, merged: Merged, depth: int) -> dict[str, Any]:
        """`anyOf`: what stands beside it holds in every branch, so it is merged into each."""
        keyword, pointer, parts = choice
        if keyword == "oneOf":
            self.losses.add(pointer, "oneOf is read as anyOf, which is looser")
        branches, nullable = [], False
        for part in parts:
            branch = self._merger.gather([part], into=merged.constraints(part.pointer))
            if branch.choice is None and self._kinds(branch) == ([], True):
                nullable = True
            else:
                branches.append(self._node(branch, depth + 1))
        if not branches:
            raise Unfit(pointer, "nothing but null")
        return self._finish(_united(branches), merged, [], nullable)

    def _typed(self, kind: str, merged: Merged, depth: int) -> tuple[dict[str, Any], list[str]]:
        """The node for one type, and what to tell besides."""
        schema: dict[str, Any] = {"type": kind.upper()}
        for keyword, placed in merged.keywords.items():
            if keyword in _KEPT[kind]:
                schema[keyword] = placed.value
        if kind == "integer":
            write_inclusive(merged, schema)
        notes = self._enum(kind, merged, schema) + self._format(kind, merged, schema)
        notes += report(merged, _LOST[kind], self.losses)
        if kind == "array":
            self._array(merged, schema, depth)
        elif kind == "object":
            self._object(merged, schema, depth)
        return schema, notes

    def _enum(self, kind: str, merged: Merged, schema: dict[str, Any]) -> list[str]:
        if "enum" not in merged.keywords:
            return []
        _, pointer, values, _ = merged.keywords["enum"]
        values = [value for value in values if is_of(value, (kind,))]
        named = [value for value in values if value and kind == "string"]
        if len(named) < len(values):
            self.losses.add(pointer, "enum holds only strings, and no empty one")
        if not named:
            return list(filter(None, [values_note(values)]))
        schema["enum"] = named
        return []

    def _format(self, kind: str, merged: Merged, schema: dict[str, Any]) -> list[str]:
        placed = merged.keywords.get("format")
        if placed is None or not format_matters(placed.value, kind):
            return []
        if placed.value not in _FORMATS[kind]:
            return report_placed([placed], self.losses)
        schema["format"] = placed.value
        return []

    def _array(self, merged: Merged, schema: dict[str, Any], depth: int) -> None:
        if not merged.items:
            raise Unfit(merged.place, "array without items")
        schema["items"] = self._convert(merged.items, depth + 1)

    def _object(self, merged: Merged, schema: dict[str, Any], depth: int) -> None:
        if not merged.properties:
            raise Unfit(merged.place, "object without properties")
        schema["properties"] = {name: self._convert(parts, depth + 1) for name, parts in merged.properties.items()}
        required = [name for name in merged.required if name in merged.properties]
        if required:
            schema["required"] = required
        schema["propertyOrdering"] = list(merged.properties)
        for name, pointer in merged.required.items():
            if name not in merged.properties:
                self.losses.add(pointer, f"requires {name}, which is not declared")
        further = merged.keywords.get("additionalProperties")
        if further is not None and further.value is not False:
            self.losses.add(further.pointer, "no other properties can be told of")


def _kinds_of_values(merged: Merged) -> list[str]:
    if "enum" not in merged.keywords:
        raise Unfit(merged.pointer, "schema without a type")
    kinds = types_in(merged.value("enum"))
    if len(kinds) - ("null" in kinds) > 1:
        raise Unfit(merged.pointer, "enum of mixed types without type")
    return kinds


def _told(schema: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    text = described(None, notes)
    return {**schema, "description": text} if text else schema


def _united(branches: list[dict[str, Any]]) -> dict[str, Any]:
    """Branches as one node: itself when there is one, an enum when each names strings, else `anyOf`."""
    if len(branches) == 1:
        return branches[0]
    if not all(branch.get("type") == "STRING" and "enum" in branch and branch.keys() <= _NAMED for branch in branches):
        return {"anyOf": branches}
    schema: dict[str, Any] = {"type": "STRING", "enum": list(dict.fromkeys(v for b in branches for v in b["enum"]))}
    notes = [f"{', '.join(branch['enum'])}: {text}" for branch in branches if (text := _label(branch))]
    return _told(schema, notes)


_NAMED = {"type", "enum", "title", "description"}


def _label(branch: dict[str, Any]) -> str | None:
    return branch.get("description") or branch.get("title")

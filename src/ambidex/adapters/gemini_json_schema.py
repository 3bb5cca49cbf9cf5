"""Gemini's `parametersJsonSchema`: JSON Schema, of which the documented keywords are kept and the rest told in words.

References stay references; the service unfolds them only so far, so every circle must pass an optional property.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ambidex.adapters.bounds import EXCLUSIVE, write_inclusive
from ambidex.adapters.constraints import CONSTRAINTS, format_matters, report, report_placed, report_whole
from ambidex.adapters.conversion import Conversion, Losses, Unfit
from ambidex.adapters.declared import Declared, described_as
from ambidex.adapters.definitions import Definitions
from ambidex.adapters.describe import described, values_note
from ambidex.adapters.document import Document
from ambidex.adapters.merge import Choice, Merged, Merger, Part
from ambidex.adapters.no_arguments import takes_no_arguments
from ambidex.adapters.references import find_circle, without_optional
from ambidex.adapters.values import allowed_types, is_of, type_of
from ambidex.dialect.keywords import ANNOTATIONS, IDENTITY, MAX_SCHEMA_DEPTH
from ambidex.dialect.pointer import child

_CARRIED = frozenset("minimum maximum minItems maxItems prefixItems".split())
_BESIDE_REF = ANNOTATIONS | IDENTITY | {"$defs"}


def convert(document: Document) -> Conversion:
    if document.targets and (circle := find_circle(document, without_optional)) is not None:
        raise Unfit(circle, "recursion that no optional property ends")
    rewriting = _Rewriting(document)
    schema = rewriting.root(document.root)
    return Conversion("convert", schema, rewriting.losses.all())


def declare(tool: Declared, conversion: Conversion) -> dict[str, Any]:
    declaration = described_as(tool)
    if conversion.schema is not None:
        declaration["parametersJsonSchema"] = conversion.schema
    return declaration


class _Rewriting:
    """One conversion under way."""

    def __init__(self, document: Document) -> None:
        self.losses = Losses()
        self._merger = Merger(document, self.losses)
        self._definitions = Definitions(document)

    def root(self, schema: dict[str, Any]) -> dict[str, Any] | None:
        merged = self._merger.gather([Part("", schema, frozenset({""}))])
        if takes_no_arguments(merged, self.losses):
            return None
        written = self._node(merged, 1)
        definitions = {
            name: self._convert([Part(pointer, node, frozenset({pointer}))], 1)
            for name, pointer, node in self._definitions.unfold()
        }
        return {**written, "$defs": definitions} if definitions else written

    def _convert(self, parts: list[Part], depth: int) -> dict[str, Any]:
        if depth > MAX_SCHEMA_DEPTH:
            raise Unfit(parts[0].pointer, "nested too deep once references are written out")
        if len(parts) == 1 and isinstance(parts[0].schema, dict) and "$ref" in parts[0].schema:
            node = parts[0].schema
            if node.keys() - {"$ref"} <= _BESIDE_REF:
                return self._reference(node)
        return self._node(self._merger.gather(parts), depth)

    def _reference(self, node: dict[str, Any]) -> dict[str, Any]:
        """A `$ref` stands alone; words beside it need a node of their own."""
        reference = self._definitions.reference(node["$ref"])
        words: dict[str, Any] = {key: node[key] for key in ("title", "description") if key in node}
        return {**words, "anyOf": [reference]} if words else reference

    def _node(self, merged: Merged, depth: int) -> dict[str, Any]:
        kinds = allowed_types(merged.value("type")) if "type" in merged.keywords else list(CONSTRAINTS)
        schema: dict[str, Any] = {}
        if "type" in merged.keywords:
            schema["type"] = merged.value("type")
        notes = self._constraints(kinds, merged, schema)
        if "array" in kinds:
            self._array(merged, schema, depth)
        if "object" in kinds:
            self._object(merged, schema, depth)
        if merged.choice is not None:
            schema["anyOf"] = self._branches(merged.choice, depth)
        schema, told = self._enum(kinds, merged, schema)
        return self._finish(schema, merged, told + notes)

    def _finish(self, schema: dict[str, Any], merged: Merged, notes: list[str]) -> dict[str, Any]:
        text = described(merged.value("description"), notes + report_whole(merged, self.losses))
        if text:
            schema["description"] = text
        if "title" in merged.keywords:
            schema["title"] = merged.value("title")
        return schema

    def _constraints(self, kinds: list[str], merged: Merged, schema: dict[str, Any]) -> list[str]:
        kept, lost = _kept_and_lost(tuple(kinds))
        for keyword, placed in merged.keywords.items():
            if keyword in kept:
                schema[keyword] = placed.value
        if "integer" in kinds and "number" not in kinds:
            write_inclusive(merged, schema)
        if "format" in merged.keywords and any(format_matters(merged.value("format"), kind) for kind in kinds):
            schema["format"] = merged.value("format")
        return report(merged, lost, self.losses)

    def _enum(self, kinds: list[str], merged: Merged, schema: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """An enum holds strings and numbers. Null beside them becomes a branch of its own."""
        if "enum" not in merged.keywords:
            return schema, []
        _, pointer, values, _ = merged.keywords["enum"]
        values = [value for value in values if is_of(value, kinds)]
        if not values:
            raise Unfit(pointer, "enum without a value that the type allows")
        plain = [value for value in values if type_of(value) in ("string", "integer", "number")]
        if len(plain) == len(values):
            return {**schema, "enum": plain}, []
        if plain and len(plain) + values.count(None) == len(values):
            return {"anyOf": [_without_null({**schema, "enum": plain}), {"type": "null"}]}, []
        self.losses.add(pointer, "enum holds only strings and numbers")
        return schema, list(filter(None, [values_note(values)]))

    def _branches(self, choice: Choice, depth: int) -> list[dict[str, Any]]:
        if choice.keyword == "oneOf":
            self.losses.add(choice.pointer, "oneOf is read as anyOf, which is looser")
        return [self._convert([part], depth + 1) for part in choice.branches]

    def _array(self, merged: Merged, schema: dict[str, Any], depth: int) -> None:
        if merged.items:
            schema["items"] = self._convert(merged.items, depth + 1)
        placed = merged.keywords.get("prefixItems")
        if placed is not None:
            parts = [Part(child(placed.pointer, index), each, placed.trail) for index, each in enumerate(placed.value)]
            schema["prefixItems"] = [self._convert([part], depth + 1) for part in parts]

    def _object(self, merged: Merged, schema: dict[str, Any], depth: int) -> None:
        if merged.properties:
            schema["properties"] = {name: self._convert(parts, depth + 1) for name, parts in merged.properties.items()}
        if merged.required:
            schema["required"] = list(merged.required)
        further = merged.keywords.get("additionalProperties")
        if further is None:
            return
        if "patternProperties" in merged.keywords:
            # Kept alone, it would refuse the very names that the lost keyword lets in.
            report_placed([further], self.losses)
        elif isinstance(further.value, bool):
            schema["additionalProperties"] = further.value
        else:
            part = Part(further.pointer, further.value, further.trail)
            schema["additionalProperties"] = self._convert([part], depth + 1)


@cache
def _kept_and_lost(kinds: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The constraints that these types have, by whether the dialect has them too."""
    applying = frozenset[str]().union(*(CONSTRAINTS[kind] for kind in kinds))
    lost = applying - _CARRIED
    return applying & _CARRIED, lost if "number" in kinds else lost - EXCLUSIVE


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    if isinstance(schema.get("type"), list):
        kept = [kind for kind in schema["type"] if kind != "null"]
        return {**schema, "type": kept[0] if len(kept) == 1 else kept}
    return schema

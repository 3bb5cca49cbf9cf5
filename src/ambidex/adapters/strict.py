"""OpenAI's strict mode: every object closed, every property required, what was optional nullable.

Formats and lengths that the mode lacks are told in the description. Anything else it lacks keeps the tool from being
strict: the authored schema then goes out as it is, and each reason is named.
"""

from __future__ import annotations

from typing import Any

from ambidex.adapters.constraints import CONSTRAINTS, format_matters
from ambidex.adapters.conversion import Conversion, Losses
from ambidex.adapters.definitions import Definitions
from ambidex.adapters.describe import described, note
from ambidex.adapters.document import Document
from ambidex.adapters.strict_limits import Limits
from ambidex.adapters.values import allowed_types, holds, is_of, types_in
from ambidex.dialect.keywords import ANNOTATIONS, IDENTITY
from ambidex.dialect.pointer import child

_FORMATS = frozenset("date-time time date duration email hostname ipv4 ipv6 uuid".split())
_CARRIED = frozenset("pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems".split())
_TOLD = frozenset("minLength maxLength contentEncoding contentMediaType contentSchema".split())
"""Sources disagree on lengths; a refused request costs more than a bound that is enforced here anyway."""

_SUBSET = frozenset(
    "type enum const format properties required additionalProperties items anyOf oneOf $ref $defs uniqueItems".split()
)
_ALLOWED = _SUBSET | _CARRIED | _TOLD | ANNOTATIONS | (IDENTITY - {"$dynamicRef"})
_WORDS_ONLY = ANNOTATIONS | IDENTITY | {"$defs"}
_NULL = {"type": "null"}


def convert(document: Document) -> Conversion:
    """Strict where the schema allows, else as written with a warning at each place that does not."""
    conversion = _Strict(document)
    schema = conversion.root(document.root)
    obstacles = conversion.obstacles.all()
    if obstacles:
        return Conversion("nonstrict", document.as_written(), obstacles, why=obstacles[0].why)
    return Conversion("strict", schema, conversion.losses.all())


class _Strict:
    """One conversion under way. It goes on past an obstacle, to name them all."""

    def __init__(self, document: Document) -> None:
        self.losses = Losses()
        self.obstacles = Losses()
        self._limits = Limits(self.obstacles)
        self._definitions = Definitions(document)

    def root(self, node: dict[str, Any]) -> dict[str, Any]:
        for keyword in ("anyOf", "oneOf", "$ref", "enum", "const"):
            if keyword in node:
                self.obstacles.add(child("", keyword), "root must be a plain object")
        schema = self._typed("", {"properties": {}, "additionalProperties": False, **node}, 0)
        definitions = {name: self._convert(pointer, target, 0) for name, pointer, target in self._definitions.unfold()}
        if definitions:
            schema["$defs"] = definitions
        self._limits.check()
        return schema

    def _convert(self, pointer: str, node: Any, depth: int) -> dict[str, Any]:
        if isinstance(node, bool):
            self.obstacles.add(pointer, "schema without a type" if node else "schema that nothing satisfies")
            return {}
        if "$ref" in node:
            return self._reference(pointer, node)
        if "anyOf" in node or "oneOf" in node:
            return self._choice(pointer, node, depth)
        return self._typed(pointer, node, depth)

    def _reference(self, pointer: str, node: dict[str, Any]) -> dict[str, Any]:
        """A `$ref` has no siblings; words beside it need a node of their own."""
        if not node.keys() - {"$ref"} <= _WORDS_ONLY:
            self.obstacles.add(child(pointer, "$ref"), "$ref beside constraints")
        reference = self._definitions.reference(node["$ref"])
        return {"description": node["description"], "anyOf": [reference]} if "description" in node else reference

    def _choice(self, pointer: str, node: dict[str, Any], depth: int) -> dict[str, Any]:
        keyword = "anyOf" if "anyOf" in node else "oneOf"
        place = child(pointer, keyword)
        if not node.keys() - {keyword, "type"} <= _WORDS_ONLY:
            self._outside_subset(pointer, node)
            self.obstacles.add(place, f"{keyword} beside constraints")
        if keyword == "oneOf":
            self.losses.add(place, "oneOf is read as anyOf, which is looser")
        branches = []
        for index, branch in enumerate(node[keyword]):
            where = child(place, index)
            branches.append(self._convert(where, self._typed_branch(where, branch, node.get("type")), depth))
        words = {"description": node["description"]} if "description" in node else {}
        return {**words, "anyOf": branches}

    def _typed_branch(self, pointer: str, branch: Any, outer: str | list[str] | None) -> Any:
        """A type beside `anyOf` belongs to each branch: given to those without, checked in those with one."""
        if outer is None or not isinstance(branch, dict):
            return branch
        if "type" not in branch and not branch.keys() & {"$ref", "anyOf", "oneOf"}:
            return {"type": outer, **branch}
        if "type" not in branch or not set(allowed_types(branch["type"])) <= {*allowed_types(outer)}:
            self.obstacles.add(pointer, "does not repeat the type beside anyOf")
        return branch

    def _typed(self, pointer: str, node: dict[str, Any], depth: int) -> dict[str, Any]:
        self._outside_subset(pointer, node)
        kinds = self._kinds(pointer, node)
        schema: dict[str, Any] = {}
        if kinds:
            schema["type"] = node.get("type", kinds[0] if len(kinds) == 1 else kinds)
        for keyword, value in node.items():
            if keyword in _CARRIED and any(keyword in CONSTRAINTS[kind] for kind in kinds):
                schema[keyword] = value
        self._enum(pointer, node, kinds, schema)
        notes = self._told(pointer, node, kinds, schema)
        if "array" in kinds:
            self._array(pointer, node, schema, depth)
        if "object" in kinds and "type" in node:
            self._object(pointer, node, schema, depth + 1)
        if text := described(node.get("description"), notes):
            schema["description"] = text
        return schema

    def _outside_subset(self, pointer: str, node: dict[str, Any]) -> None:
        for keyword, value in node.items():
            if keyword not in _ALLOWED or (keyword == "uniqueItems" and value):
                self.obstacles.add(child(pointer, keyword), "keyword not in the strict subset")

    def _kinds(self, pointer: str, node: dict[str, Any]) -> list[str]:
        if "type" in node:
            return allowed_types(node["type"])
        values = _values(node)
        if values is None:
            # What stands in the way is already named where the node has a keyword outside the subset.
            if node.keys() <= _ALLOWED:
                self.obstacles.add(pointer, "schema without a type")
            return []
        return types_in(values)

    def _enum(self, pointer: str, node: dict[str, Any], kinds: list[str], schema: dict[str, Any]) -> None:
        values = _values(node)
        if values is None:
            return
        kept = [value for value in values if is_of(value, kinds)]
        place = child(pointer, "const" if "const" in node else "enum")
        if not kept or any(isinstance(value, dict | list) for value in kept):
            self.obstacles.add(place, "enum needs values of a plain type that the node allows")
        self._limits.count_values(place, kept)
        schema["enum"] = kept

    def _told(self, pointer: str, node: dict[str, Any], kinds: list[str], schema: dict[str, Any]) -> list[str]:
        """Lengths and unsupported formats, as words."""
        lost = [keyword for keyword in node if keyword in _TOLD and "string" in kinds]
        if "format" in node and any(format_matters(node["format"], kind) for kind in kinds):
            if node["format"] in _FORMATS:
                schema["format"] = node["format"]
            else:
                lost.append("format")
        for keyword in lost:
            self.losses.add(child(pointer, keyword), f"{keyword} has no counterpart")
        return [told for keyword in lost if (told := note(keyword, node[keyword]))]

    def _array(self, pointer: str, node: dict[str, Any], schema: dict[str, Any], depth: int) -> None:
        if "items" in node:
            schema["items"] = self._convert(child(pointer, "items"), node["items"], depth)
        elif "prefixItems" not in node:
            self.obstacles.add(pointer, "array without typed items")

    def _object(self, pointer: str, node: dict[str, Any], schema: dict[str, Any], depth: int) -> None:
        self._limits.count_level(depth)
        if node.get("additionalProperties", False) is not False:
            self.obstacles.add(child(pointer, "additionalProperties"), "open object")
        elif "properties" not in node and "additionalProperties" not in node:
            self.obstacles.add(pointer, "open object")
        properties, required = node.get("properties", {}), node.get("required", ())
        if not properties.keys() >= set(required):
            self.obstacles.add(child(pointer, "required"), "requires a property that is not declared")
        place = child(pointer, "properties")
        schema["properties"] = {}
        for name, inner in properties.items():
            converted = self._convert(child(place, name), inner, depth)
            schema["properties"][name] = converted if name in required else _nullable(converted)
        self._limits.count_names(properties)
        schema["required"] = list(properties)
        schema["additionalProperties"] = False


def _values(node: dict[str, Any]) -> list[Any] | None:
    if "const" not in node:
        return node.get("enum")
    if "enum" in node and not holds(node["enum"], node["const"]):
        return []
    return [node["const"]]


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """The way strict mode leaves a property out: null in its place."""
    if "anyOf" in schema:
        return schema if any(map(_accepts_null, schema["anyOf"])) else {**schema, "anyOf": [*schema["anyOf"], _NULL]}
    if "type" not in schema:
        return {"anyOf": [schema, _NULL]}
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    nullable = {**schema, "type": kinds if "null" in kinds else [*kinds, "null"]}
    if None not in schema.get("enum", (None,)):
        nullable["enum"] = [*schema["enum"], None]
    return nullable


def _accepts_null(branch: dict[str, Any]) -> bool:
    return "null" in allowed_types(branch.get("type", [])) and None in branch.get("enum", (None,))

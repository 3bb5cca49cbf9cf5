"""Are `parameters` and `response` JSON Schemas that check what they seem to check?

Ajv's strict mode is the model: a keyword that no validator reads, a required name without a property and a default that
breaks its own schema are mistakes, although a lenient validator would say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ambidex.arguments.plain import is_dangerous
from ambidex.authoring.finding import Finding
from ambidex.authoring.source import Source
from ambidex.compiler.checks.references import ends_nowhere, problem_of_reference
from ambidex.dialect.formats import KNOWN_FORMATS
from ambidex.dialect.keywords import KNOWN, MAP_OF_SCHEMAS, walk
from ambidex.dialect.nearest import nearest
from ambidex.dialect.pointer import child
from ambidex.dialect.validator import SchemaError, compile_schema

_CONSENT = frozenset(
    "approval approvaltoken approved confirm confirmation confirmationtoken confirmed consent isconfirmed "
    "userapproved userconfirmed userconsent".split()
)
_INSTEAD = {"nullable": 'write "type": [..., "null"]', "definitions": "write $defs", "example": "write examples"}


def root_is_a_closed_object(source: Source) -> Iterator[Finding]:
    parameters = (source.schema or {}).get("parameters")
    if not isinstance(parameters, dict):
        return
    if parameters.get("type") != "object":
        message = "parameters must have type object"
        yield source.finding("AX201", "/parameters/type", message, 'set "type": "object"')
    elif parameters.get("additionalProperties") is not False:
        message = "parameters must set additionalProperties to false"
        yield source.finding("AX202", "/parameters", message, 'add "additionalProperties": false')


def schemas_are_valid(source: Source) -> Iterator[Finding]:
    """Compile each schema; where that fails for a reason no other rule names, say so."""
    for root, schema in _roots(source):
        named = set()
        for finding, pointer in _named_problems(source, root, schema):
            named.add(pointer)
            yield finding
        try:
            compile_schema(schema)
        except SchemaError as error:
            place = root + error.pointer
            if not named:
                yield source.finding("AX203", place, f"is no JSON Schema: {_short(error)}", "correct it", value=True)


def _named_problems(source: Source, root: str, schema: Any) -> Iterator[tuple[Finding, str]]:
    for pointer, node in walk(schema, root):
        if isinstance(node, dict):
            for check in _NODE_CHECKS:
                for finding in check(source, pointer, node):
                    yield finding, pointer
        elif not isinstance(node, bool):
            message = "is neither an object nor true or false"
            yield source.finding("AX203", pointer, message, "write a schema here", value=True), pointer
    for pointer, node in walk(schema, root):
        if isinstance(node, dict) and isinstance(node.get("$ref"), str):
            problem = problem_of_reference(node["$ref"], schema)
            if problem:
                place = child(pointer, "$ref")
                yield source.finding(problem.code, place, problem.message, problem.fix, value=True), pointer
    for pointer in ends_nowhere(schema):
        message = "leads back to itself and describes nothing"
        yield source.finding("AX215", root + pointer, message, "break the loop"), root + pointer


def _known_keywords(source: Source, pointer: str, node: dict[str, Any]) -> Iterator[Finding]:
    for keyword in node:
        if keyword not in KNOWN:
            near = nearest(keyword, KNOWN)
            fix = _INSTEAD.get(keyword) or (f"did you mean {near}?" if near else "remove it")
            yield source.finding("AX204", child(pointer, keyword), f"{keyword} is not a keyword of 2020-12", fix)


def _known_formats(source: Source, pointer: str, node: dict[str, Any]) -> Iterator[Finding]:
    name = node.get("format")
    if isinstance(name, str) and name not in KNOWN_FORMATS:
        near = nearest(name, KNOWN_FORMATS)
        fix = f"did you mean {near}?" if near else "use a pattern, or one of " + ", ".join(sorted(KNOWN_FORMATS))
        yield source.finding("AX205", child(pointer, "format"), f"format {name} is not known", fix, value=True)


def _maps_of_schemas(source: Source, pointer: str, node: dict[str, Any]) -> Iterator[Finding]:
    for keyword in MAP_OF_SCHEMAS & node.keys():
        if not isinstance(node[keyword], dict):
            place = child(pointer, keyword)
            yield source.finding("AX203", place, f"{keyword} must be an object", "map names to schemas", value=True)


def _required_exists(source: Source, pointer: str, node: dict[str, Any]) -> Iterator[Finding]:
    names, properties = node.get("required"), node.get("properties", {})
    if not isinstance(names, list) or not isinstance(properties, dict):
        return
    if node.get("type") != "object" and "properties" not in node:
        return  # `anyOf: [{"required": ["a"]}]` speaks of properties that stand one level up
    for index, name in enumerate(names):
        if isinstance(name, str) and name not in properties:
            near = nearest(name, properties)
            fix = f"did you mean {near}?" if near else "define the property, or remove the name"
            place = child(child(pointer, "required"), index)
            yield source.finding("AX206", place, f"required names {name}, which is no property", fix, value=True)


def _patterns_are_linear(source: Source, pointer: str, node: dict[str, Any]) -> Iterator[Finding]:
    patterns = []
    if isinstance(node.get("pattern"), str):
        patterns.append((child(pointer, "pattern"), node["pattern"]))
    if isinstance(node.get("patternProperties"), dict):
        place = child(pointer, "patternProperties")
        patterns += [(child(place, pattern), pattern) for pattern in node["patternProperties"]]
    for place, pattern in patterns:
        try:
            compile_schema({"pattern": pattern})
        except SchemaError:
            message = "the linear-time engine refuses this pattern"
            fix = "write it without look-around and back-references"
            yield source.finding("AX210", place, message, fix, value=True)


def _nested_objects_are_closed(source: Source, pointer: str, node: dict[str, Any]) -> Iterator[Finding]:
    if pointer == "/parameters" or pointer.startswith("/response"):
        return
    shut = ("additionalProperties", "unevaluatedProperties")
    opened = [node[name] for name in shut if name in node and node[name] is not False]
    if (node.get("type") == "object" or "properties" in node) and (opened or not any(name in node for name in shut)):
        fix = 'add "additionalProperties": false, or acknowledge AX211'
        yield source.finding("AX211", pointer, "a nested object takes keys that nobody described", fix)


def _unique_items_are_bounded(source: Source, pointer: str, node: dict[str, Any]) -> Iterator[Finding]:
    if node.get("uniqueItems") is True and "maxItems" not in node and pointer.startswith("/parameters"):
        message = "uniqueItems without maxItems compares every item with every other"
        yield source.finding("AX212", child(pointer, "uniqueItems"), message, "add maxItems")


def _names_are_harmless(source: Source, pointer: str, node: dict[str, Any]) -> Iterator[Finding]:
    properties = node.get("properties")
    if not isinstance(properties, dict) or not pointer.startswith("/parameters"):
        return
    for name in properties:
        place = child(child(pointer, "properties"), name)
        if is_dangerous(name):
            message = f"{name} is refused in arguments at run time"
            yield source.finding("AX214", place, message, "rename the parameter")
        elif re.sub(r"[^a-z]", "", name.lower()) in _CONSENT:
            fix = "remove it and set requiresConfirmation, or acknowledge AX213"
            yield source.finding("AX213", place, f"{name} lets the model speak for the user", fix)


_NODE_CHECKS: tuple[Callable[[Source, str, dict[str, Any]], Iterator[Finding]], ...] = (
    _known_keywords,
    _known_formats,
    _maps_of_schemas,
    _required_exists,
    _patterns_are_linear,
    _nested_objects_are_closed,
    _unique_items_are_bounded,
    _names_are_harmless,
)


def defaults_satisfy_their_schema(source: Source) -> Iterator[Finding]:
    for root, schema in _roots(source):
        definitions = schema.get("$defs") if isinstance(schema, dict) else None
        for pointer, node in walk(schema, root):
            if not isinstance(node, dict) or "default" not in node:
                continue
            # The node is compiled alone, with the definitions it may refer to beside it.
            alone = {**node, "$defs": definitions} if isinstance(definitions, dict) else node
            try:
                valid = compile_schema(alone).is_valid(node["default"])
            except SchemaError:
                continue  # another rule names it, or its references cannot be resolved from here
            if not valid:
                place = child(pointer, "default")
                yield source.finding("AX207", place, "the default breaks its own schema", "correct one of them")


def _roots(source: Source) -> Iterator[tuple[str, Any]]:
    for name in ("parameters", "response"):
        schema = (source.schema or {}).get(name)
        if isinstance(schema, dict):
            yield f"/{name}", schema


def _short(error: SchemaError) -> str:
    return str(error).splitlines()[0][:200]


CHECKS: tuple[Callable[[Source], Iterator[Finding]], ...] = (
    root_is_a_closed_object,
    schemas_are_valid,
    defaults_satisfy_their_schema,
)

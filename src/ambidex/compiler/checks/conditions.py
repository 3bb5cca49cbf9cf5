"""Conditions, previews, mode limits and redaction: the fields of schema.json that speak of parameters by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ambidex.authoring.finding import Finding
from ambidex.authoring.source import Source
from ambidex.dialect.conditions import AVAILABILITY, CONFIRM_WHEN, ConditionError, compile_condition
from ambidex.dialect.nearest import nearest
from ambidex.dialect.pointer import child
from ambidex.dialect.preview import PreviewError, placeholders


def conditions_compile(source: Source) -> Iterator[Finding]:
    for field, names in (("availability", AVAILABILITY), ("confirmWhen", CONFIRM_WHEN)):
        text = (source.schema or {}).get(field)
        if not isinstance(text, str):
            continue
        try:
            compile_condition(text, names, tuple(_properties(source)))
        except ConditionError as error:
            code = "AX502" if error.boolean else "AX501"
            fix = "compare it with something" if error.boolean else "it may use " + ", ".join(names)
            yield _inside(source, code, f"/{field}", error.offset, f"{field}: {error}", fix)


def preview_names_parameters(source: Source) -> Iterator[Finding]:
    template = (source.schema or {}).get("preview")
    if not isinstance(template, str):
        return
    try:
        names = placeholders(template)
    except PreviewError as error:
        fix = "use {parameter}; write {{ and }} for braces"
        yield _inside(source, "AX504", "/preview", error.offset, f"preview {error}", fix)
        return
    for name, offset in names:
        if not _has_path(source.object("parameters"), name.split(".")):
            fix = _nearest(name, _properties(source))
            yield _inside(source, "AX503", "/preview", offset, f"preview names {name}, which is no parameter", fix)


def mode_limits_fit(source: Source) -> Iterator[Finding]:
    properties = _properties(source)
    for mode, limits in source.object("modeLimits").items():
        place = f"/modeLimits/{mode}"
        if mode in ("text", "voice") and mode not in source.words("allowedModes"):
            yield source.finding("AX116", place, f"the tool is not for {mode}", "remove these limits")
        if not isinstance(limits, dict):
            continue
        for name, bound in limits.items():
            here = child(place, name)
            if name not in properties:
                yield source.finding("AX116", here, f"{name} is no parameter", _nearest(name, properties))
            elif isinstance(bound, dict) and isinstance(properties[name], dict):
                yield from _bound_fits(source, here, bound, properties[name])


def _bound_fits(source: Source, place: str, bound: dict[str, Any], schema: dict[str, Any]) -> Iterator[Finding]:
    kind = schema.get("type")
    numeric = kind in ("integer", "number")
    for name, value in bound.items():
        fits = numeric if name in ("minimum", "maximum") else kind == "array"
        if not fits:
            fix = "bound numbers by minimum and maximum, arrays by maxItems and exclude"
            yield source.finding("AX116", child(place, name), f"{name} does not bound a value of type {kind}", fix)
        elif isinstance(value, (int, float)) and _leaves_nothing(name, value, schema):
            message = f"{name} {value} leaves no valid value"
            yield source.finding("AX116", child(place, name), message, "keep it within the parameter's own bounds")
        elif name == "exclude" and isinstance(value, list):
            yield from _exclusion_fits(source, place, bound, schema)


def _leaves_nothing(name: str, value: float, schema: dict[str, Any]) -> bool:
    if name == "maximum":
        if schema.get("type") == "integer" and value != int(value):
            return True
        low = schema.get("minimum", schema.get("exclusiveMinimum"))
        return isinstance(low, (int, float)) and (value < low or (value <= low and "minimum" not in schema))
    if name == "minimum":
        if schema.get("type") == "integer" and value != int(value):
            return True
        high = schema.get("maximum", schema.get("exclusiveMaximum"))
        return isinstance(high, (int, float)) and (value > high or (value >= high and "maximum" not in schema))
    return name == "maxItems" and value < schema.get("minItems", 0)


def _exclusion_fits(source: Source, place: str, bound: dict[str, Any], schema: dict[str, Any]) -> Iterator[Finding]:
    items = schema.get("items")
    allowed = items.get("enum") if isinstance(items, dict) else None
    for field in ("exclude", "otherwise"):
        for index, value in enumerate(bound.get(field, ())):
            if isinstance(allowed, list) and value not in allowed:
                where = child(child(place, field), index)
                yield source.finding("AX116", where, "is not one of the parameter's values", "correct it", value=True)
    if any(value in bound["exclude"] for value in bound.get("otherwise", ())):
        yield source.finding("AX116", child(place, "otherwise"), "holds what is excluded", "choose another value")
    if schema.get("minItems", 0) > 0 and "otherwise" not in bound:
        message = "may leave an empty array, which the parameter refuses"
        yield source.finding("AX116", child(place, "exclude"), message, "say with otherwise what stands there then")


def redact_paths_exist(source: Source) -> Iterator[Finding]:
    for index, path in enumerate(source.words("redact")):
        root, *steps = path.split(".")
        schema = source.object("parameters" if root == "args" else "response")
        if schema and steps and not _has_path(schema, steps):
            message = f"{path} names nothing in {'parameters' if root == 'args' else 'response'}"
            yield source.finding("AX117", f"/redact/{index}", message, "correct the path", value=True)


def _has_path(schema: Any, steps: list[str]) -> bool:
    """Whether the steps lead through properties, and through items for `*`. A `$ref` is not followed: it may be."""
    for step in steps:
        if not isinstance(schema, dict) or "$ref" in schema:
            return True
        if step == "*":
            schema = schema.get("items", schema.get("additionalProperties"))
            if schema is None:
                return False
            continue
        properties = schema.get("properties")
        if not isinstance(properties, dict) or step not in properties:
            return bool(schema.get("additionalProperties", "type" not in schema)) and not properties
        schema = properties[step]
    return True


def _properties(source: Source) -> dict[str, Any]:
    found = source.object("parameters").get("properties")
    return found if isinstance(found, dict) else {}


def _nearest(name: str, known: dict[str, Any]) -> str:
    near = nearest(name, known)
    return f"did you mean {near}?" if near else "it has " + (", ".join(known) or "no parameters")


def _inside(source: Source, code: str, pointer: str, offset: int, message: str, fix: str) -> Finding:
    """A finding inside a string of schema.json: after its opening quote."""
    line, column = source.at(pointer, value=True)
    text = (source.schema or {})[pointer[1:]]
    plain = '"' not in text[:offset] and "\\" not in text[:offset] and "\n" not in text[:offset]
    return Finding(code, "schema.json", message, fix, line, column + 1 + offset if plain else column)


CHECKS: tuple[Callable[[Source], Iterator[Finding]], ...] = (
    conditions_compile,
    preview_names_parameters,
    mode_limits_fit,
    redact_paths_exist,
)

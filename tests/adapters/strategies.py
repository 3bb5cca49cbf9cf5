"""Schemas to convert: wild ones with every keyword of the draft in any mixture, tame ones as an author writes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

Draw = st.DrawFn
Schemas = st.SearchStrategy[Any]

_NAMES = ("a", "b", "user name", "c/d", "e~f")
_WORDS = ("x", "yy", "zzz", "2026-01-31T09:30:00Z", "")
_BOUNDS = st.one_of(st.integers(-3, 6), st.sampled_from([0.5, 2.5, 3.0]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from([0.5, 1.0]) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@dataclass(frozen=True)
class Taste:
    """How a schema may be drawn."""

    wild: bool
    refs: tuple[str, ...]
    depth: int

    def below(self) -> Taste:
        return replace(self, depth=self.depth - 1)


@st.composite
def wild_documents(draw: Draw) -> dict[str, Any]:
    """Some references form circles or lead nowhere, some nodes contradict themselves."""
    refs: tuple[str, ...] = (
        "#/$defs/A",
        "#/$defs/B",
        "#/$defs/A",
        "#/$defs/odd%20name~1~0",
        "#",
        "#/properties/a",
        "#here",
    )
    if draw(_one_in(6)):
        refs += ("#/$defs/Nope", "https://example.org/a.json", "#/properties")
    taste = Taste(True, refs, 2)
    root = {**draw(_objects(taste)), "type": "object"}
    for name in ("A", "B", "odd name/~"):
        root.setdefault("$defs", {})[name] = draw(_schemas(replace(taste, depth=1)))
    root["$defs"]["C"] = {"type": "string", "$anchor": "here"}
    if draw(_one_in(8)):
        root |= draw(st.sampled_from([{"$schema": "x"}, {"$id": "https://example.org/t"}, {"nullable": True}]))
    return root | draw(_composed(taste)) if draw(_one_in(8)) else root


@st.composite
def tame_documents(draw: Draw) -> dict[str, Any]:
    """Every node has a type, arrays have items, objects have properties, references form no circle."""
    return {
        **draw(_objects(Taste(False, ("#/$defs/A", "#/$defs/B"), 2))),
        "type": "object",
        "$defs": {"A": draw(_schemas(Taste(False, ("#/$defs/B",), 1))), "B": draw(_schemas(Taste(False, (), 1)))},
    }


def _one_in(times: int) -> st.SearchStrategy[bool]:
    return st.integers(1, times).map(lambda number: number == 1)


@st.composite
def _schemas(draw: Draw, taste: Taste) -> Any:
    kinds: list[Callable[[Taste], Schemas]] = [_strings, _numbers, _enums, _plain]
    if taste.refs:
        kinds += [_references]
    if taste.depth:
        kinds += [_objects, _arrays, _composed]
    schema = draw(draw(st.sampled_from(kinds))(taste))
    if isinstance(schema, dict) and draw(_one_in(3)):
        schema = {**schema, **draw(st.sampled_from(_ANNOTATIONS))}
    if isinstance(schema, dict) and taste.depth and draw(_one_in(8 if taste.wild else 25)):
        schema = {**schema, **draw(_rare(taste))}
    return schema


_ANNOTATIONS: list[dict[str, Any]] = [
    {"description": "Words"},
    {"title": "T", "description": "Words"},
    {"default": None},
    {"examples": [1], "deprecated": True, "$comment": "c"},
]


@st.composite
def _some(draw: Draw, optional: dict[str, Schemas]) -> dict[str, Any]:
    chosen = draw(st.lists(st.sampled_from(sorted(optional)), unique=True, max_size=2))
    return {name: draw(optional[name]) for name in chosen}


@st.composite
def _strings(draw: Draw, taste: Taste) -> Any:
    optional = {
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(1, 30),
        "pattern": st.sampled_from(["^[a-z]", "z$"]),
        "format": st.sampled_from(["date-time", "email", "uri", "int32"]),
        "contentEncoding": st.just("base64"),
    }
    return {"type": draw(st.sampled_from(["string", ["string", "null"], ["string", "integer"]]))} | draw(
        _some(optional)
    )


@st.composite
def _numbers(draw: Draw, taste: Taste) -> Any:
    optional = {
        "minimum": _BOUNDS,
        "maximum": _BOUNDS,
        "exclusiveMinimum": _BOUNDS,
        "exclusiveMaximum": _BOUNDS,
        "multipleOf": st.sampled_from([1, 2, 0.5]),
        "format": st.sampled_from(["int32", "int64", "float", "double"]),
    }
    kinds = ["integer", "number", ["integer", "null"], ["integer", "number"], ["boolean", "integer"]]
    return {"type": draw(st.sampled_from(kinds))} | draw(_some(optional))


@st.composite
def _enums(draw: Draw, taste: Taste) -> Any:
    """No empty string: native Gemini has no room for one, which is its only narrowing and has a test of its own."""
    tame: list[dict[str, Any]] = [
        {"enum": ["x", "yy"]},
        {"enum": ["x", None]},
        {"enum": [1, 2.0]},
        {"enum": [1, 0.5]},
        {"enum": [True, None]},
        {"type": ["string", "null"], "enum": ["x", "yy"]},
        {"type": ["string", "integer", "null"], "enum": ["x", 1, None, True]},
        {"const": "x"},
        {"type": "integer", "const": 2},
    ]
    wild: list[dict[str, Any]] = [{"enum": ["x", 1]}, {"enum": [{"a": 1}]}, {"const": None}, {"enum": []}]
    wild += [{"type": "string", "enum": [1]}, {"enum": ["x"], "const": "y"}]
    return draw(st.sampled_from(tame + wild if taste.wild else tame))


@st.composite
def _plain(draw: Draw, taste: Taste) -> Any:
    tame: list[Any] = [{"type": "boolean"}, {"type": ["boolean", "null"]}]
    return draw(st.sampled_from([*tame, {"type": "null"}, {}, True, False] if taste.wild else tame))


@st.composite
def _references(draw: Draw, taste: Taste) -> Any:
    reference = {"$ref": draw(st.sampled_from(taste.refs))}
    if not draw(_one_in(6)):
        return reference
    return reference | draw(st.sampled_from([{"minLength": 1}, {"type": "object"}, {"required": ["a"]}]))


@st.composite
def _objects(draw: Draw, taste: Taste) -> Any:
    names = draw(st.lists(st.sampled_from(_NAMES), unique=True, min_size=0 if taste.wild else 1, max_size=3))
    schema: dict[str, Any] = {"type": draw(st.sampled_from(["object", "object", ["object", "null"]]))}
    if names:
        schema["properties"] = {name: draw(_schemas(taste.below())) for name in names}
    schema |= (
        draw(_some({"minProperties": st.integers(0, 1), "maxProperties": st.integers(2, 4)})) if taste.wild else {}
    )
    schema["required"] = draw(st.lists(st.sampled_from(_NAMES if taste.wild else names), unique=True, max_size=2))
    further = draw(st.sampled_from([False, False, None, False, True, {"type": "string"}][: 6 if taste.wild else 5]))
    return schema if further is None else {**schema, "additionalProperties": further}


@st.composite
def _arrays(draw: Draw, taste: Taste) -> Any:
    schema: dict[str, Any] = {"type": draw(st.sampled_from(["array", "array", ["array", "string"]]))}
    if not (taste.wild and draw(_one_in(4))):
        schema["items"] = draw(_schemas(taste.below()))
    optional: dict[str, Schemas] = {"minItems": st.integers(0, 1), "maxItems": st.integers(1, 4)}
    return schema | draw(_some(optional | ({"uniqueItems": st.booleans()} if taste.wild else {})))


@st.composite
def _composed(draw: Draw, taste: Taste) -> Any:
    branches = draw(st.lists(_schemas(taste.below()), min_size=1, max_size=3))
    beside: dict[str, Any] = {}
    if taste.wild:
        beside = draw(st.sampled_from([{}, {"type": "string"}, {"type": "object"}, {"maxLength": 2}]))
    return {**beside, draw(st.sampled_from(["anyOf", "anyOf", "oneOf", "allOf"])): branches}


@st.composite
def _rare(draw: Draw, taste: Taste) -> dict[str, Any]:
    inner = draw(_schemas(taste.below()))
    choices: list[dict[str, Any]] = [
        {"not": inner},
        {"if": inner, "then": True, "else": {"type": "object"}},
        {"then": inner},
        {"dependentRequired": {"a": ["b"]}},
        {"dependentSchemas": {"a": inner}},
        {"patternProperties": {"^x": inner}},
        {"propertyNames": {"maxLength": 3}},
        {"prefixItems": [inner]},
        {"prefixItems": [inner], "items": False},
        {"contains": inner, "minContains": 1},
        {"unevaluatedProperties": False},
        {"unevaluatedItems": inner},
        {"contentMediaType": "application/json", "contentSchema": inner},
    ]
    return draw(st.sampled_from([*choices, {"$id": "inner"}, {"$dynamicRef": "#here"}] if taste.wild else choices))


@st.composite
def values_for(draw: Draw, schema: Any, places: dict[str, Any], depth: int = 0) -> Any:
    """A value that tries to satisfy `schema`; the caller keeps those that do."""
    if depth > 6 or not isinstance(schema, dict):
        return draw(st.sampled_from(["x", 1, None]))
    if "const" in schema or schema.get("enum"):
        return schema["const"] if "const" in schema else draw(st.sampled_from(schema["enum"]))
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in schema:
            return draw(values_for(draw(st.sampled_from(schema[keyword])), places, depth + 1))
    if "$ref" in schema:
        return draw(values_for(places.get(schema["$ref"], True), places, depth + 1))
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else draw(st.sampled_from(kinds))
    if kind == "object":
        return {
            name: draw(values_for(inner, places, depth + 1))
            for name, inner in [*schema.get("properties", {}).items(), ("xtra", True)]
            if name in schema.get("required", ()) or draw(_one_in(5 if name == "xtra" else 2))
        }
    if kind == "array":
        inner = schema.get("items", True)
        return [draw(values_for(inner, places, depth + 1)) for _ in range(draw(st.integers(0, 2)))]
    return draw(_SCALARS[kind])


_SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": st.sampled_from(_WORDS),
    "integer": st.integers(-3, 6),
    "number": _BOUNDS,
    "boolean": st.booleans(),
    "null": st.none(),
}

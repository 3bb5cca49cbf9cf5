"""One error of the validator -> what a model and a program are told of it.

The validator's own texts are never used: they cut lists of values short and quote what the model wrote. Its structured
kinds, the schema and the arguments say everything needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import orjson

from ambidex.arguments.canonical import normalise
from ambidex.arguments.failure import Failure, Mistake, declared
from ambidex.arguments.wording import any_of_types, expected, listed, literal, phrase
from ambidex.dialect.formats import STRING_FORMATS
from ambidex.dialect.nearest import nearest_names

_MOST_DUPLICATES = 100


def explain(failed: Failure) -> Iterator[Mistake]:
    """Usually one mistake; one for each key where several keys are unknown."""
    yield from _EXPLAIN.get(failed.rule, _other)(failed)


def _other(failed: Failure) -> Iterator[Mistake]:
    yield failed.mistake(f"does not satisfy the rule {failed.rule}", limit=failed.limit)


def _false(failed: Failure) -> Iterator[Mistake]:
    yield failed.mistake("is not allowed here")


def _type(failed: Failure) -> Iterator[Mistake]:
    yield wrong_type(failed, failed.limit)


def wrong_type(failed: Failure, wanted: Any) -> Mistake:
    got = type_name(failed.value)
    shown = f"{failed.value}" if got == "number" else any_of_types(got)
    return failed.mistake(f"must be {any_of_types(wanted)}, got {shown}", rule="type", limit=wanted, got=got)


def type_name(value: Any) -> str:
    """The JSON name of a value's type."""
    names = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _bound(words: str) -> Callable[[Failure], Iterator[Mistake]]:
    def how(failed: Failure) -> Iterator[Mistake]:
        limit, value = failed.limit, failed.value
        yield failed.mistake(f"must be {words} {limit}, got {value}", limit=limit, got=value)

    return how


def _size(words: str) -> Callable[[Failure], Iterator[Mistake]]:
    def how(failed: Failure) -> Iterator[Mistake]:
        limit, size = failed.limit, len(failed.value)
        yield failed.mistake(f"must have {words.format(limit)}, got {size}", limit=limit, got=size)

    return how


def _enum(failed: Failure) -> Iterator[Mistake]:
    values = failed.limit
    near: list[str] = []
    if isinstance(failed.value, str):
        near = nearest_names(failed.value, [value for value in values if isinstance(value, str)])
    hint = f"; did you mean {near[0]}?" if near else ""
    extra = {"nearest": near[0]} if near else {}
    yield failed.mistake(f"must be one of {listed(values)}{hint}", limit=values, got=type_name(failed.value), **extra)


def _const(failed: Failure) -> Iterator[Mistake]:
    limit = failed.limit
    yield failed.mistake(f"must be exactly {literal(limit)}", limit=limit, got=type_name(failed.value))


def _format(failed: Failure) -> Iterator[Mistake]:
    limit = failed.limit
    example = STRING_FORMATS.get(limit, "")
    yield failed.mistake(f"must be in the format {limit}, such as {example}", limit=limit, example=example)


def _pattern(failed: Failure) -> Iterator[Mistake]:
    limit, examples = failed.limit, failed.node.get("examples") or []
    hint = f", such as {literal(examples[0])}" if examples else ""
    yield failed.mistake(f"must match the pattern {limit}{hint}", limit=limit, **_if_any(examples=examples))


def _unique(failed: Failure) -> Iterator[Mistake]:
    seen: set[bytes] = set()
    duplicates: list[int] = []
    for index, item in enumerate(failed.value):
        key = orjson.dumps(normalise(item), option=orjson.OPT_SORT_KEYS)
        if key in seen:
            duplicates.append(index)
        seen.add(key)
    where = ", ".join(map(str, duplicates[:10]))
    words = f"must not hold the same item twice: remove the items at {where}"
    yield failed.mistake(words, limit=True, duplicates=duplicates[:_MOST_DUPLICATES])


def _required(failed: Failure) -> Iterator[Mistake]:
    name = failed.facts["property"]
    node = declared(failed).get(name, {})
    words = f"is missing: it is required, {phrase(failed.schema, node)}"
    yield failed.mistake(words, below=name, expected=expected(failed.schema, node))


def _unknown_keys(failed: Failure) -> Iterator[Mistake]:
    allowed = list(declared(failed))
    # An object that declares no property at all is reported without naming its keys.
    unknown = failed.facts.get("unexpected") or [key for key in _keys(failed.value) if key not in allowed]
    if not unknown:
        yield failed.mistake(f"has an unknown parameter; {_known(allowed)}", allowed=allowed)
    for key in sorted(unknown):
        if not failed.names.quotable(key):
            words = f"has an unknown parameter whose name has {len(key)} characters; {_known(allowed)}"
            yield failed.mistake(words, allowed=allowed, nameLength=len(key))
        elif near := nearest_names(key, allowed):
            words = f"is not a known parameter; did you mean {near[0]}?"
            yield failed.mistake(words, below=key, allowed=allowed, nearest=near[0])
        else:
            yield failed.mistake(f"is not a known parameter; {_known(allowed)}", below=key, allowed=allowed)


def _keys(value: Any) -> list[str]:
    return list(value) if isinstance(value, dict) else []


def _known(allowed: list[str]) -> str:
    return f"known are {listed(allowed)}" if allowed else "remove it"


def _property_name(failed: Failure) -> Iterator[Mistake]:
    inner = failed.facts["error"]
    key = inner.instance
    rule = str(inner.schema_path[-1])
    limit = inner.kind.as_dict().get("limit")
    below = key if isinstance(key, str) and failed.names.quotable(key) else None
    words = f"has a name that breaks the rule {rule}" if below else f"has a key that breaks the rule {rule}"
    yield failed.mistake(words, below=below, **_if_any(limit=limit), keyRule=rule)


def _extra_items(failed: Failure) -> Iterator[Mistake]:
    most = len(failed.node.get("prefixItems", ()))
    indexes = failed.facts.get("unexpected")
    if indexes is None:
        yield failed.mistake(f"is one item too many: at most {most} are allowed", limit=most)
    else:
        yield failed.mistake(f"must have at most {most} items", limit=most, got=len(failed.value))


def _contains(failed: Failure) -> Iterator[Mistake]:
    node = failed.node
    low, high = node.get("minContains", 1), node.get("maxContains")
    count = f"at least {low}" if high is None else f"{low} to {high}"
    words = f"must hold {count} items that are {phrase(failed.schema, node.get('contains'))}"
    yield failed.mistake(words, limit=node.get(failed.rule), expected=expected(failed.schema, node.get("contains")))


def _not(failed: Failure) -> Iterator[Mistake]:
    refused = failed.limit
    yield failed.mistake(f"must not be {phrase(failed.schema, refused)}", limit=refused)


def _many_forms(failed: Failure) -> Iterator[Mistake]:
    matching = [index for index, errors in enumerate(failed.facts["context"]) if not errors]
    yield failed.mistake("fits more than one of the forms of which it must fit exactly one", matching=matching)


def _if_any(**facts: Any) -> dict[str, Any]:
    return {key: value for key, value in facts.items() if value not in (None, [])}


_EXPLAIN: dict[str, Callable[[Failure], Iterator[Mistake]]] = {
    "type": _type,
    "maximum": _bound("at most"),
    "minimum": _bound("at least"),
    "exclusiveMaximum": _bound("below"),
    "exclusiveMinimum": _bound("above"),
    "multipleOf": _bound("a multiple of"),
    "minLength": _size("at least {} characters"),
    "maxLength": _size("at most {} characters"),
    "minItems": _size("at least {} items"),
    "maxItems": _size("at most {} items"),
    "minProperties": _size("at least {} members"),
    "maxProperties": _size("at most {} members"),
    "enum": _enum,
    "const": _const,
    "format": _format,
    "pattern": _pattern,
    "uniqueItems": _unique,
    "required": _required,
    "dependentRequired": _required,
    "additionalProperties": _unknown_keys,
    "unevaluatedProperties": _unknown_keys,
    "propertyNames": _property_name,
    "items": _extra_items,
    "unevaluatedItems": _extra_items,
    "contains": _contains,
    "minContains": _contains,
    "maxContains": _contains,
    "not": _not,
    "oneOf": _many_forms,
    "false": _false,
}
"""By the keyword that failed; a form that fits no branch of `anyOf` or `oneOf` is settled in `branches.py` first."""

"""A program that mends a refused call. It reads the call and `details`; never the message, never the schema."""

from __future__ import annotations

import copy
from typing import Any

from ambidex.dialect.pointer import tokens


def repair(args: dict[str, Any], details: dict[str, Any]) -> dict[str, Any]:
    mended = copy.deepcopy(args)
    # Deepest and last first, so that removing an item does not move the next one.
    for error in reversed(details["errors"]):
        _mend(mended, error)
    return mended


def _mend(args: dict[str, Any], error: dict[str, Any]) -> None:
    *parents, last = tokens(error["pointer"]) or [""]
    holder: Any = args
    for step in parents:
        holder = holder[int(step) if isinstance(holder, list) else step]
    key: Any = int(last) if isinstance(holder, list) else last
    if error["rule"] == "additionalProperties":
        _drop_unknown(args if not error["pointer"] else holder, key, error)
    elif error["rule"] == "uniqueItems":
        for index in reversed(error["duplicates"]):
            del holder[key][index]
    else:
        holder[key] = _value(holder.get(key) if isinstance(holder, dict) else holder[key], error)


def _drop_unknown(holder: Any, key: Any, error: dict[str, Any]) -> None:
    if "nameLength" not in error:
        del holder[key]
        return
    where = holder[key] if error["pointer"] else holder
    for name in [name for name in where if name not in error["allowed"]]:
        del where[name]


def _value(now: Any, error: dict[str, Any]) -> Any:
    match error["rule"]:
        case "required":
            return make(error["expected"])
        case "type":
            return _converted(now, error["limit"])
        case "maximum" | "minimum":
            return error["limit"]
        case "enum":
            return error.get("nearest", error["limit"][0])
        case "minLength":
            return now + "x" * (error["limit"] - error["got"])
        case "maxLength":
            return now[: error["limit"]]
        case "minItems":
            return now
        case "format":
            return error["example"]
    raise AssertionError(error)


def _converted(now: Any, wanted: str) -> Any:
    if wanted == "integer" and isinstance(now, str | float):
        try:
            return round(float(now))
        except ValueError:
            return 0
    return make({"type": wanted})


def make(expected: dict[str, Any]) -> Any:
    """Some value that is expected."""
    if "enum" in expected:
        return expected["enum"][0]
    if "example" in expected:
        return expected["example"]
    match expected.get("type"):
        case "integer" | "number":
            return expected.get("minimum", 0)
        case "string":
            return "x" * expected.get("minLength", 1)
        case "object":
            return {name: make(below) for name, below in expected.get("properties", {}).items()}
        case "array":
            return [make(expected.get("items", {})) for _ in range(expected.get("minItems", 0))]
    return None

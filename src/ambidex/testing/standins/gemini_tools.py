"""What Gemini refuses of function declarations: unknown fields, both schemas at once, what its native form lacks."""

from __future__ import annotations

import re
from typing import Any

from ambidex.testing.standins.refusal import Refusal, a_list, a_text, an_object

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
DECLARATION = frozenset("name description parameters parametersJsonSchema response responseJsonSchema behavior".split())
NATIVE = frozenset(
    """type format title description nullable default enum example items minItems maxItems properties required
    propertyOrdering minProperties maxProperties minLength maxLength pattern minimum maximum anyOf additionalProperties
    ref defs""".split()
)
TYPES = frozenset("STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT NULL".split())


def check_tools(tools: list[Any]) -> None:
    names: set[str] = set()
    for number, tool in enumerate(tools):
        where = f"tools[{number}]"
        known(an_object(tool, where), frozenset({"functionDeclarations"}), where)
        for index, declared in enumerate(a_list(tool.get("functionDeclarations"), f"{where}.function_declarations")):
            place = f"{where}.function_declarations[{index}]"
            name = _check_declaration(an_object(declared, place), place)
            if name in names:
                raise Refusal(f"Duplicate function declaration found: {name}")
            names.add(name)


def _check_declaration(declared: dict[str, Any], where: str) -> str:
    known(declared, DECLARATION, where)
    name = a_text(declared.get("name"), f"{where}.name")
    if NAME.fullmatch(name) is None:
        raise Refusal(f"* GenerateContentRequest.{where}.name: Invalid function name.")
    a_text(declared.get("description", ""), f"{where}.description")
    if "parameters" in declared and "parametersJsonSchema" in declared:
        raise Refusal(f"{where}: only one of parameters and parameters_json_schema may be set")
    if "parameters" in declared:
        schema = an_object(declared["parameters"], f"{where}.parameters")
        if str(schema.get("type")).upper() != "OBJECT":
            raise Refusal(f"* GenerateContentRequest.{where}.parameters: schema must be of type OBJECT")
        _check_native(schema, f"{where}.parameters")
    if "parametersJsonSchema" in declared:
        an_object(declared["parametersJsonSchema"], f"{where}.parameters_json_schema")
    return name


def _check_native(schema: Any, where: str) -> None:
    known(an_object(schema, where), NATIVE, where)
    kind = schema.get("type")
    if kind is not None and (not isinstance(kind, str) or kind.upper() not in TYPES):
        raise Refusal(f"Invalid value at '{where}.type' (TYPE_ENUM), {kind!r}")
    if str(kind).upper() == "OBJECT" and not schema.get("properties"):
        raise Refusal(f"* GenerateContentRequest.{where}.properties: should be non-empty for OBJECT type")
    if str(kind).upper() == "ARRAY" and "items" not in schema:
        raise Refusal(f"* GenerateContentRequest.{where}.items: missing field.")
    for value in schema.get("enum", ()):
        a_text(value, f"{where}.enum")
    for name, inner in schema.get("properties", {}).items():
        _check_native(inner, f"{where}.properties[{name}]")
    for number, inner in enumerate(schema.get("anyOf", ())):
        _check_native(inner, f"{where}.any_of[{number}]")
    if "items" in schema:
        _check_native(schema["items"], f"{where}.items")


def known(value: dict[str, Any], names: frozenset[str], where: str) -> None:
    """No member but these, as every message of this service is checked."""
    for name in value:
        if name not in names:
            place = f" at '{where}'" if where else ""
            raise Refusal(f'Invalid JSON payload received. Unknown name "{name}"{place}: Cannot find field.')

"""What OpenAI's two text services share: keys, errors, and the shape of a function."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ambidex.testing.standins.http import Answer, Request, json_answer
from ambidex.testing.standins.refusal import Refusal, a_list, a_text, an_object, needed, only
from ambidex.testing.standins.standin import Standin

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
MOST_TOOLS = 128
UNSUPPORTED = frozenset(
    "allOf not dependentRequired dependentSchemas if then else oneOf patternProperties propertyNames default".split()
)
"""Keywords that a strict schema may not hold."""


class OpenAIStandin(Standin):
    base_path = "/v1"

    def authorize(self, request: Request) -> None:
        key = self.bearer(request)
        if key is None:
            raise Refusal("You didn't provide an API key.", status=401)
        if not self.right_key(key):
            raise Refusal("Incorrect API key provided.", status=401, code="invalid_api_key")

    def problem(self, refusal: Refusal) -> dict[str, Any]:
        kind = "server_error" if refusal.status >= 500 else "invalid_request_error"
        return {"error": {"message": refusal.message, "type": kind, "param": refusal.param, "code": refusal.code}}

    def rate_limit(self, seconds: int | None) -> Answer:
        error = {
            "message": "Rate limit reached.",
            "type": "requests",
            "param": None,
            "code": "rate_limit_exceeded",
        }
        return json_answer(429, {"error": error}, {} if seconds is None else {"retry-after": str(seconds)})


def refuse_other_paths(request: Request, path: str) -> None:
    if (request.method, request.path) != ("POST", path):
        raise Refusal(f"Invalid URL ({request.method} {request.path})", status=404)


def check_tools(tools: Any, *, nested: bool) -> None:
    """`nested`: Chat Completions puts the function inside; Responses has it flat."""
    listed = a_list(tools, "tools")
    if len(listed) > MOST_TOOLS:
        raise Refusal(f"Invalid 'tools': array too long. Expected at most {MOST_TOOLS}.", param="tools")
    names = set()
    for number, tool in enumerate(listed):
        name = _check_tool(an_object(tool, f"tools[{number}]"), f"tools[{number}]", nested=nested)
        if name in names:
            raise Refusal(f"Duplicate function name '{name}'.", param=f"tools[{number}]")
        names.add(name)


def _check_tool(tool: dict[str, Any], where: str, *, nested: bool) -> str:
    needed(tool, ["type"], where)
    if tool["type"] != "function":
        raise Refusal(f"This stand-in has functions only, not '{tool['type']}'.", param=f"{where}.type")
    if nested:
        only(tool, {"type", "function"}, where)
        needed(tool, ["function"], where)
        where = f"{where}.function"
        function = an_object(tool["function"], where)
    else:
        function = {name: value for name, value in tool.items() if name != "type"}
    only(function, {"name", "description", "parameters", "strict"}, where)
    needed(function, ["name"] if nested else ["name", "parameters", "strict"], where)
    check_name(function["name"], f"{where}.name")
    if "description" in function:
        a_text(function["description"], f"{where}.description")
    _check_parameters(function, f"{where}.parameters")
    return str(function["name"])


def _check_parameters(function: dict[str, Any], where: str) -> None:
    schema = function.get("parameters")
    if schema is None:
        return
    if an_object(schema, where).get("type") != "object":
        raise _bad_schema(function["name"], "schema must be a JSON Schema of 'type: \"object\"'", where)
    if function.get("strict"):
        for wrong in _not_strict(schema, "root"):
            raise _bad_schema(function["name"], wrong, where)


def _bad_schema(name: str, wrong: str, where: str) -> Refusal:
    return Refusal(f"Invalid schema for function '{name}': {wrong}.", param=where, code="invalid_function_parameters")


def _not_strict(schema: Any, where: str) -> Iterator[str]:
    """Why a schema is not one that the strict mode takes."""
    if not isinstance(schema, dict):
        yield f"In context={where}, a schema must be an object"
        return
    for keyword in sorted(UNSUPPORTED & schema.keys()):
        yield f"In context={where}, '{keyword}' is not permitted"
    properties = schema.get("properties", {})
    if schema.get("type") == "object" or "properties" in schema:
        if schema.get("additionalProperties") is not False:
            yield f"In context={where}, 'additionalProperties' is required to be supplied and to be false"
        if sorted(schema.get("required", [])) != sorted(properties):
            yield f"In context={where}, 'required' is required to include every key in properties"
    for name, inner in properties.items():
        yield from _not_strict(inner, f"{where}.{name}")
    for name, inner in schema.get("$defs", {}).items():
        yield from _not_strict(inner, f"{where}.$defs.{name}")
    for number, inner in enumerate(schema.get("anyOf", [])):
        yield from _not_strict(inner, f"{where}.anyOf[{number}]")
    if "items" in schema:
        yield from _not_strict(schema["items"], f"{where}.items")


def check_name(name: Any, where: str) -> None:
    if NAME.fullmatch(a_text(name, where)) is None:
        raise Refusal(
            f"Invalid '{where}': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            param=where,
            code="invalid_value",
        )


def refuse_choice_without_tools(body: dict[str, Any]) -> None:
    for name in ("tool_choice", "parallel_tool_calls"):
        if name in body and "tools" not in body:
            raise Refusal(f"'{name}' is only allowed when 'tools' are specified.", param=name)


def require_stream(body: dict[str, Any]) -> None:
    if body.get("stream") is not True:
        raise Refusal("This stand-in answers streaming requests only: set 'stream' to true.", param="stream")


def text_of(content: Any) -> str:
    """A content that is a string, or parts that hold texts."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(str(part.get("text", part.get("refusal", ""))) for part in content)

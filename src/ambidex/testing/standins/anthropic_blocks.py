"""What Anthropic Messages refuses of one content block, and of tools."""

from __future__ import annotations

import re
from typing import Any

from ambidex.testing.standins.refusal import Refusal, an_object
from ambidex.testing.standins.seals import seal

ID = re.compile(r"[A-Za-z0-9_-]+")
NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
MEMBERS: dict[str, frozenset[str]] = {
    "text": frozenset({"type", "text", "cache_control", "citations"}),
    "image": frozenset({"type", "source", "cache_control"}),
    "tool_use": frozenset({"type", "id", "name", "input", "cache_control", "caller"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
}
BY_ROLE = {"user": {"text", "image", "tool_result"}, "assistant": {"text", "tool_use", "thinking"}}
TOOL = frozenset("type name description input_schema strict cache_control input_examples".split())


def invalid(where: str, wanted: str) -> Refusal:
    return Refusal(f"{where}: Input should be {wanted}")


def check_block(block: dict[str, Any], role: str, where: str) -> None:
    kind = block.get("type")
    if kind not in BY_ROLE[role]:
        wanted = ", ".join(sorted(BY_ROLE[role]))
        raise Refusal(f"{where}: a block of type '{kind}' found using role '{role}'; expected one of: {wanted}")
    for name in block:
        if name not in MEMBERS[str(kind)]:
            raise Refusal(f"{where}.{kind}.{name}: Extra inputs are not permitted")
    match kind:
        case "text":
            if not isinstance(block.get("text"), str) or not block["text"].strip():
                raise Refusal("messages: text content blocks must be non-empty")
        case "tool_use":
            _check_call(block, f"{where}.tool_use")
        case "tool_result":
            _check_result(block, f"{where}.tool_result")
        case "thinking":
            if block.get("signature") != seal(block.get("thinking")):
                raise Refusal(f"{where}: Invalid `signature` in `thinking` block")


def _check_call(block: dict[str, Any], where: str) -> None:
    if not isinstance(block.get("id"), str) or ID.fullmatch(block["id"]) is None:
        raise Refusal(f"{where}.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
    if not isinstance(block.get("name"), str) or NAME.fullmatch(block["name"]) is None:
        raise Refusal(f"{where}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
    if not isinstance(block.get("input"), dict):
        raise invalid(f"{where}.input", "a valid dictionary")


def _check_result(block: dict[str, Any], where: str) -> None:
    if not isinstance(block.get("tool_use_id"), str):
        raise Refusal(f"{where}.tool_use_id: Field required")
    if not isinstance(block.get("is_error", False), bool):
        raise invalid(f"{where}.is_error", "a valid boolean")
    content = block.get("content", "")
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        raise invalid(f"{where}.content", "a string or a list of blocks")
    for number, inner in enumerate(content):
        if an_object(inner, f"{where}.content.{number}").get("type") not in ("text", "image"):
            raise invalid(f"{where}.content.{number}.type", "'text' or 'image'")


def check_tools(tools: Any) -> None:
    if not isinstance(tools, list):
        raise invalid("tools", "a valid list")
    names = set()
    for number, tool in enumerate(tools):
        where = f"tools.{number}.custom"
        _check_tool(an_object(tool, where), where)
        if tool["name"] in names:
            raise Refusal("tools: Tool names must be unique.")
        names.add(tool["name"])


def _check_tool(tool: dict[str, Any], where: str) -> None:
    for name in tool:
        if name not in TOOL:
            raise Refusal(f"{where}.{name}: Extra inputs are not permitted")
    for name in ("name", "input_schema"):
        if name not in tool:
            raise Refusal(f"{where}.{name}: Field required")
    if not isinstance(tool["name"], str) or NAME.fullmatch(tool["name"]) is None:
        raise Refusal(f"{where}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
    if an_object(tool["input_schema"], f"{where}.input_schema").get("type") != "object":
        raise invalid(f"{where}.input_schema.type", "'object'")

"""What Anthropic Messages refuses of a conversation; tools and blocks have their own file."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Any

from ambidex.testing.standins.anthropic_blocks import check_block, check_tools, invalid
from ambidex.testing.standins.refusal import Refusal, a_list, an_object

FIELDS = frozenset(
    """max_tokens messages model cache_control container diagnostics inference_geo metadata output_config service_tier
    speed stop_sequences stream system thinking tool_choice tools user_profile_id workspace_id""".split()
)
SAMPLING = frozenset({"temperature", "top_p", "top_k"})
"""Gone in the newer version of the service: refused, whatever their value."""


def check_body(body: dict[str, Any], thought_of: Collection[str], *, sampling: bool) -> None:
    """`thought_of`: calls that a thinking block led to. `sampling`: this version still knows how to sample."""
    for name in body:
        if name not in FIELDS and not (sampling and name in SAMPLING):
            raise Refusal(f"{name}: Extra inputs are not permitted")
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            raise Refusal(f"{name}: Field required")
    if not isinstance(body["max_tokens"], int) or body["max_tokens"] < 1:
        raise Refusal("max_tokens: Input should be greater than or equal to 1")
    if body.get("stream") is not True:
        raise Refusal("stream: this stand-in answers streaming requests only")
    if "tools" in body:
        check_tools(body["tools"])
    elif "tool_choice" in body:
        raise Refusal("tool_choice: may only be specified while providing tools")
    _check_messages(body, thought_of)


def _check_messages(body: dict[str, Any], thought_of: Collection[str]) -> None:
    for number, message in enumerate(a_list(body["messages"], "messages")):
        _check_message(an_object(message, f"messages.{number}"), f"messages.{number}")
    turns = merged(body["messages"])
    if turns[0][0] != "user":
        raise Refusal('messages: first message must use the "user" role')
    if turns[-1][0] != "user":
        raise Refusal(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
    for (_, before), (role, blocks) in pairwise([("", []), *turns]):
        if role == "user":
            _check_results(before, blocks)
        else:
            _check_thoughts(blocks, thought_of)
    _check_unique([block["id"] for _, blocks in turns for block in blocks if block["type"] == "tool_use"])
    if not body.get("tools") and any(block["type"] == "tool_use" for _, blocks in turns for block in blocks):
        raise Refusal("Requests which include `tool_use` or `tool_result` blocks must define tools.")


def _check_message(message: dict[str, Any], where: str) -> None:
    for name in message:
        if name not in ("role", "content"):
            raise Refusal(f"{where}.{name}: Extra inputs are not permitted")
    role = message.get("role")
    if role not in ("user", "assistant"):
        raise Refusal(f'messages: Unexpected role "{role}". The Messages API accepts a top-level `system` parameter.')
    content = message.get("content")
    if isinstance(content, str):
        if not content.strip():
            raise Refusal(f"{where}: {role} messages must have non-empty content")
        return
    if not isinstance(content, list) or not content:
        raise invalid(f"{where}.content", "a string or a list of blocks that is not empty")
    for number, block in enumerate(content):
        check_block(an_object(block, f"{where}.content.{number}"), str(role), f"{where}.content.{number}")


def merged(messages: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Messages of one role after another are one turn."""
    turns: list[tuple[str, list[dict[str, Any]]]] = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(blocks)
        else:
            turns.append((message["role"], list(blocks)))
    return turns


def _check_results(before: list[dict[str, Any]], blocks: list[dict[str, Any]]) -> None:
    """One result for each call of the message before, ahead of anything else."""
    asked = [block["id"] for block in before if block["type"] == "tool_use"]
    answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    for call in answered:
        if call not in asked:
            raise Refusal(
                f"unexpected `tool_use_id` found in `tool_result` blocks: {call}. Each `tool_result` block must have a "
                "corresponding `tool_use` block in the previous message."
            )
        if answered.count(call) > 1:
            raise Refusal(
                f"each tool_use must have a single result. Found multiple `tool_result` blocks with id: {call}"
            )
    missing = [call for call in asked if call not in answered]
    if missing:
        raise Refusal(
            f"`tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(missing)}. Each "
            "`tool_use` block must have a corresponding `tool_result` block in the next message."
        )
    if any(block["type"] != "tool_result" for block in blocks[: len(answered)]):
        raise Refusal("`tool_result` blocks must come first in the content of a user message.")


def _check_thoughts(blocks: list[dict[str, Any]], thought_of: Collection[str]) -> None:
    calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    if calls & set(thought_of) and blocks[0]["type"] not in ("thinking", "redacted_thinking"):
        raise Refusal(f"Expected `thinking` or `redacted_thinking`, but found `{blocks[0]['type']}`.")


def _check_unique(ids: list[str]) -> None:
    if len(set(ids)) < len(ids):
        raise Refusal("messages: `tool_use` ids must be unique")

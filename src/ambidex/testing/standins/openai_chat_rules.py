"""What Chat Completions refuses."""

from __future__ import annotations

from typing import Any

from ambidex.testing.standins.openai_common import (
    check_name,
    check_tools,
    refuse_choice_without_tools,
    require_stream,
)
from ambidex.testing.standins.refusal import Refusal, a_list, a_text, an_object, needed, one_of, only

PARAMETERS = frozenset(
    """messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens
    max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key
    prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier
    stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity
    web_search_options""".split()
)
MEMBERS = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "refusal", "audio", "function_call"},
    "tool": {"role", "content", "tool_call_id"},
}
PARTS = {"user": {"text", "image_url", "input_audio", "file"}, "assistant": {"text", "refusal"}}
"""The parts that a content may have; other roles have texts only."""


def check_body(body: dict[str, Any]) -> None:
    only(body, PARAMETERS, "")
    needed(body, ["model", "messages"], "")
    a_text(body["model"], "model", least=1)
    require_stream(body)
    if "tools" in body:
        check_tools(body["tools"], nested=True)
    refuse_choice_without_tools(body)
    for number, message in enumerate(a_list(body["messages"], "messages")):
        _check_message(an_object(message, f"messages[{number}]"), f"messages[{number}]")
    _check_answers(body["messages"])


def _check_message(message: dict[str, Any], where: str) -> None:
    needed(message, ["role"], where)
    role = one_of(message["role"], MEMBERS, f"{where}.role")
    only(message, MEMBERS[role], where)
    if role == "assistant":
        _check_assistant(message, where)
        return
    needed(message, ["content", "tool_call_id"] if role == "tool" else ["content"], where)
    if role == "tool":
        a_text(message["tool_call_id"], f"{where}.tool_call_id", least=1)
    _check_content(message["content"], role, f"{where}.content")


def _check_assistant(message: dict[str, Any], where: str) -> None:
    if message.get("content") is None and "tool_calls" not in message:
        raise Refusal(f"Invalid value for '{where}.content': expected a string, got null.", param=f"{where}.content")
    if message.get("content") is not None:
        _check_content(message["content"], "assistant", f"{where}.content")
    if "tool_calls" not in message:
        return
    for number, call in enumerate(a_list(message["tool_calls"], f"{where}.tool_calls")):
        _check_call(an_object(call, f"{where}.tool_calls[{number}]"), f"{where}.tool_calls[{number}]")


def _check_call(call: dict[str, Any], where: str) -> None:
    only(call, {"id", "type", "function"}, where)
    needed(call, ["id", "type", "function"], where)
    a_text(call["id"], f"{where}.id", least=1)
    one_of(call["type"], {"function"}, f"{where}.type")
    function = an_object(call["function"], f"{where}.function")
    only(function, {"name", "arguments"}, f"{where}.function")
    needed(function, ["name", "arguments"], f"{where}.function")
    check_name(function["name"], f"{where}.function.name")
    a_text(function["arguments"], f"{where}.function.arguments")


def _check_content(content: Any, role: str, where: str) -> None:
    if isinstance(content, str):
        return
    for number, part in enumerate(a_list(content, where)):
        part = an_object(part, f"{where}[{number}]")
        needed(part, ["type"], f"{where}[{number}]")
        kind = one_of(part["type"], PARTS.get(role, {"text"}), f"{where}[{number}].type")
        if kind == "text":
            a_text(part.get("text"), f"{where}[{number}].text")


def _check_answers(messages: list[dict[str, Any]]) -> None:
    """Every call has one answer, right after the message that made it."""
    waiting: list[str] = []
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            _take_answer(waiting, message["tool_call_id"], f"messages[{number}]")
            continue
        _refuse_unanswered(waiting)
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
        if len(set(waiting)) < len(waiting):
            raise Refusal("Duplicate tool call ids in one message.", param=f"messages[{number}].tool_calls")
    _refuse_unanswered(waiting)


def _take_answer(waiting: list[str], call_id: str, where: str) -> None:
    if call_id not in waiting:
        message = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        raise Refusal(f"Invalid parameter: {message}", param=f"{where}.role")
    waiting.remove(call_id)


def _refuse_unanswered(waiting: list[str]) -> None:
    if waiting:
        raise Refusal(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}",
            param="messages",
        )

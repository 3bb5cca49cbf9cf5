"""What Responses refuses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ambidex.testing.standins.openai_common import (
    check_name,
    check_tools,
    refuse_choice_without_tools,
    require_stream,
)
from ambidex.testing.standins.refusal import Refusal, a_list, a_text, an_object, needed, one_of, only
from ambidex.testing.standins.seals import seal

PARAMETERS = frozenset(
    """access_programs background context_management conversation image include input instructions max_output_tokens
    max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key
    prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options
    temperature text tool_choice tools top_logprobs top_p truncation user""".split()
)
MEMBERS = {
    "message": {"type", "role", "content", "id", "status", "phase"},
    "function_call": {"type", "id", "call_id", "name", "arguments", "status"},
    "function_call_output": {"type", "id", "call_id", "output", "status"},
    "reasoning": {"type", "id", "summary", "content", "encrypted_content", "status"},
}
PREFIXES = {"message": "msg", "function_call": "fc", "reasoning": "rs", "function_call_output": "fc"}
PARTS = {"assistant": {"output_text", "refusal"}}
"""What a message of the model may hold; others hold inputs."""
INPUTS = {"input_text", "input_image", "input_file"}


INCLUDED = frozenset(
    """code_interpreter_call.outputs computer_call_output.output.image_url file_search_call.results
    message.input_image.image_url message.output_text.logprobs reasoning.encrypted_content
    web_search_call.action.sources
    web_search_call.results""".split()
)


def check_body(body: dict[str, Any], *, encrypts: bool) -> None:
    only(body, PARAMETERS, "")
    needed(body, ["model", "input"], "")
    a_text(body["model"], "model", least=1)
    require_stream(body)
    if body.get("instructions") is not None:
        a_text(body["instructions"], "instructions")
    if "tools" in body:
        check_tools(body["tools"], nested=False)
    refuse_choice_without_tools(body)
    _check_keeping(body, encrypts)
    if not isinstance(body["input"], str):
        for number, item in enumerate(a_list(body["input"], "input")):
            _check_item(an_object(item, f"input[{number}]"), f"input[{number}]")


def _check_keeping(body: dict[str, Any], encrypts: bool) -> None:
    """What the service is to keep, and what it is to hand out besides."""
    if not isinstance(body.get("store"), bool | None):
        raise Refusal("Invalid type for 'store': expected a boolean.", param="store", code="invalid_type")
    for number, name in enumerate(body.get("include") or ()):
        if one_of(name, INCLUDED, f"include[{number}]") == "reasoning.encrypted_content" and not encrypts:
            raise Refusal("Encrypted content is not supported with this model.", param="include")


def _check_item(item: dict[str, Any], where: str) -> None:
    kind = one_of(item.get("type", "message"), MEMBERS, f"{where}.type")
    only(item, MEMBERS[kind], where)
    if item.get("id") is not None and not a_text(item["id"], f"{where}.id").startswith(PREFIXES[kind]):
        raise Refusal(
            f"Invalid '{where}.id': '{item['id']}'. Expected an ID that begins with '{PREFIXES[kind]}'.",
            param=f"{where}.id",
            code="invalid_value",
        )
    match kind:
        case "message":
            _check_message(item, where)
        case "function_call":
            needed(item, ["call_id", "name", "arguments"], where)
            a_text(item["call_id"], f"{where}.call_id", least=1)
            check_name(item["name"], f"{where}.name")
            a_text(item["arguments"], f"{where}.arguments")
        case "function_call_output":
            needed(item, ["call_id", "output"], where)
            a_text(item["call_id"], f"{where}.call_id", least=1)
            _check_content(item["output"], INPUTS, f"{where}.output")
        case _:
            _check_reasoning(item, where)


def _check_message(item: dict[str, Any], where: str) -> None:
    needed(item, ["role", "content"], where)
    role = one_of(item["role"], {"user", "assistant", "system", "developer"}, f"{where}.role")
    _check_content(item["content"], PARTS.get(role, INPUTS), f"{where}.content")


def _check_content(content: Any, kinds: set[str], where: str) -> None:
    if isinstance(content, str):
        return
    for number, part in enumerate(a_list(content, where)):
        part = an_object(part, f"{where}[{number}]")
        needed(part, ["type"], f"{where}[{number}]")
        if one_of(part["type"], kinds, f"{where}[{number}].type").endswith("text"):
            a_text(part.get("text"), f"{where}[{number}].text")


def _check_reasoning(item: dict[str, Any], where: str) -> None:
    needed(item, ["id", "summary"], where)
    if item.get("encrypted_content") is not None:
        a_text(item["encrypted_content"], f"{where}.encrypted_content", least=1)


def check_seals(body: dict[str, Any], account: str) -> None:
    """Encrypted content is good for the account that it was given to, and for the item that it came with."""
    for item in body["input"] if isinstance(body["input"], list) else ():
        secret = item.get("encrypted_content")
        if secret is not None and secret != seal("reasoning", account, item["id"]):
            message = f"The encrypted content for item {item['id']} could not be verified."
            raise Refusal(message, code="invalid_encrypted_content")


def check_items(items: Sequence[Mapping[str, Any]], thoughts: Mapping[str, str], kept: Collection[str]) -> None:
    """The whole conversation: one output for each call, after it; thoughts together with what they led to."""
    _check_outputs(items)
    ids = [item.get("id") for item in items]
    for number, item in enumerate(items):
        if item.get("type") == "reasoning":
            _check_thought(item, kept, last=number + 1 == len(items))
        thought = thoughts.get(str(item.get("id")))
        if thought is not None and thought not in ids[:number]:
            raise Refusal(
                f"Item '{item['id']}' of type 'function_call' was provided without its required 'reasoning' item: "
                f"'{thought}'.",
                param="input",
            )


def _check_thought(item: Mapping[str, Any], kept: Collection[str], *, last: bool) -> None:
    name = item["id"]
    if item.get("encrypted_content") is None and name not in kept:
        message = f"Item with id '{name}' not found. Items are not persisted when `store` is set to false."
        raise Refusal(message, status=404, param="input")
    if last:
        message = f"Item '{name}' of type 'reasoning' was provided without its required following item."
        raise Refusal(message, param="input")


def _check_outputs(items: Sequence[Mapping[str, Any]]) -> None:
    asked: set[str] = set()
    waiting: list[str] = []
    for item in items:
        kind = item.get("type")
        if kind == "function_call":
            if item["call_id"] in asked:
                raise Refusal(f"Duplicate function call with call_id {item['call_id']}.", param="input")
            asked.add(item["call_id"])
            waiting.append(item["call_id"])
        elif kind == "function_call_output":
            if item["call_id"] not in waiting:
                message = f"No tool call found for function call output with call_id {item['call_id']}."
                raise Refusal(message, param="input")
            waiting.remove(item["call_id"])
    if waiting:
        raise Refusal(f"No tool output found for function call {waiting[0]}.", param="input")

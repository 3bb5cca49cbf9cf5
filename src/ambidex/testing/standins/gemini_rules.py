"""What Gemini refuses of a conversation; tools have their own file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ambidex.testing.standins.gemini_tools import check_tools, known
from ambidex.testing.standins.refusal import Refusal, a_list, a_text, an_object

FIELDS = frozenset(
    "contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent labels".split()
)
DATA = frozenset("text inlineData fileData functionCall functionResponse executableCode codeExecutionResult".split())
PART = DATA | {"thought", "thoughtSignature", "videoMetadata"}
CALL = frozenset({"id", "name", "args"})
RESPONSE = frozenset({"id", "name", "response", "willContinue", "scheduling", "parts"})


def check_body(body: dict[str, Any]) -> None:
    known(body, FIELDS, "")
    if "contents" not in body or body["contents"] == []:
        raise Refusal("* GenerateContentRequest.contents: contents is not specified")
    if body.get("systemInstruction") is not None:
        _check_parts(an_object(body["systemInstruction"], "system_instruction"), "system_instruction")
    if body.get("tools"):
        check_tools(a_list(body["tools"], "tools"))
    for number, content in enumerate(a_list(body["contents"], "contents")):
        content = an_object(content, f"contents[{number}]")
        if content.get("role", "user") not in ("user", "model"):
            raise Refusal("Please use a valid role: user, model.")
        _check_parts(content, f"contents[{number}]")
    _check_order(body["contents"])


def _check_parts(content: dict[str, Any], where: str) -> None:
    known(content, frozenset({"role", "parts"}), where)
    for number, part in enumerate(a_list(content.get("parts"), f"{where}.parts")):
        place = f"{where}.parts[{number}]"
        known(an_object(part, place), PART, place)
        kinds = DATA & part.keys()
        if len(kinds) != 1:
            raise Refusal(f"* {place}.data: required oneof field 'data' must have one initialized field")
        _check_part(part, place)


def _check_part(part: dict[str, Any], where: str) -> None:
    if "text" in part:
        a_text(part["text"], f"{where}.text")
    if "functionCall" in part:
        call = an_object(part["functionCall"], f"{where}.function_call")
        known(call, CALL, f"{where}.function_call")
        a_text(call.get("name"), f"{where}.function_call.name", least=1)
        an_object(call.get("args", {}), f"{where}.function_call.args")
    if "functionResponse" in part:
        response = an_object(part["functionResponse"], f"{where}.function_response")
        known(response, RESPONSE, f"{where}.function_response")
        a_text(response.get("name"), f"{where}.function_response.name", least=1)
        an_object(response.get("response"), f"{where}.function_response.response")


def _check_order(contents: Sequence[dict[str, Any]]) -> None:
    """A model's calls come after a user's words, all answers right after the calls, and the user has the last word."""
    before: dict[str, Any] | None = None
    for content in contents:
        calls, answers = _members(content, "functionCall"), _members(content, "functionResponse")
        asked = _members(before, "functionCall") if before else []
        if calls and (content.get("role") != "model" or before is None or before.get("role") == "model"):
            raise Refusal(
                "Please ensure that function call turn comes immediately after a user turn or after a function "
                "response turn."
            )
        if answers and not asked:
            raise Refusal("Please ensure that function response turn comes immediately after a function call turn.")
        if len(asked) != len(answers):
            raise Refusal(
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts of the function call turn."
            )
        _match(asked, answers)
        if answers and len(answers) != len(content["parts"]):
            raise Refusal("A function response turn holds function responses only.")
        before = content
    if before is not None and before.get("role") == "model":
        raise Refusal("Please ensure that single turn requests end with a user role or a role with function response.")


def _match(asked: list[dict[str, Any]], answers: list[dict[str, Any]]) -> None:
    """By id where the calls have ids, else by order; the name is always that of the call."""
    waiting = {call["id"]: call for call in asked if "id" in call}
    for call, answer in zip(asked, answers, strict=True):
        if waiting or "id" in call:
            call = waiting.pop(answer.get("id"), {})
        if call.get("name") != answer["name"]:
            raise Refusal(f"The function response {answer.get('id', '')!r} ({answer['name']}) belongs to no call.")


def _members(content: dict[str, Any] | None, kind: str) -> list[dict[str, Any]]:
    return [part[kind] for part in (content or {}).get("parts", ()) if kind in part]

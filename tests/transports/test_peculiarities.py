"""What one service does and no other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.transports.frames import MODEL, SERVICES, anthropic, as_bytes, chat, read, sending, step_of

from ambidex.arguments.parse import Parsed, parse
from ambidex.transports.anthropic import MessagesReading
from ambidex.transports.base import Ask, Finish
from ambidex.transports.gemini import ContentReading
from ambidex.transports.openai_chat import ChatReading
from ambidex.transports.openai_responses import ResponsesReading
from ambidex.transports.sse import Event

# Gemini


def gemini_step(parts: str, reason: str = "STOP") -> Any:
    reading = ContentReading(MODEL)
    data = f'{{"candidates": [{{"content": {{"parts": [{parts}]}}, "finishReason": "{reason}"}}]}}'
    list(reading.feed(Event("", data.encode())))
    return reading.end()


@pytest.mark.threat("V03", "V04")
@pytest.mark.parametrize("args", ['{"a": 1, "a": 2}', '{"n": 123456789012345678901234567890}', "[1]", '"text"', "7"])
def test_arguments_that_come_as_an_object_are_still_judged_by_their_own_text(args: str) -> None:
    ended = gemini_step(f'{{"functionCall": {{"name": "look", "args": {args}}}}}')
    assert ended.calls[0].args == args
    assert not isinstance(parse(ended.calls[0].args), Parsed)


def test_a_call_without_arguments_or_id_is_a_call() -> None:
    ended = gemini_step('{"functionCall": {"name": "look"}}, {"functionCall": {"name": "look"}}')
    assert [call.args for call in ended.calls] == ["{}", "{}"]
    assert len({call.id for call in ended.calls}) == 2
    assert ended.item.parts == ({"functionCall": {"name": "look"}}, {"functionCall": {"name": "look"}})


@pytest.mark.parametrize(
    "reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "NEW_ONE"]
)
def test_calls_that_the_service_found_unusable_are_answered_and_never_run(reason: str) -> None:
    ended = gemini_step('{"functionCall": {"name": "look", "args": {}}}', reason)
    assert ended.finish is Finish.ERROR
    assert not isinstance(parse(ended.calls[0].args), Parsed)


def test_a_thought_is_kept_and_not_said() -> None:
    ended = gemini_step('{"text": "hm", "thought": true, "thoughtSignature": "c2ln"}, {"text": "Hello."}, {"text": ""}')
    assert ended.item.text == "Hello."
    assert ended.item.parts[0] == {"text": "hm", "thought": True, "thoughtSignature": "c2ln"}
    assert len(ended.item.parts) == 2


def test_a_prompt_that_was_blocked_is_filtered() -> None:
    reading = ContentReading(MODEL)
    list(reading.feed(Event("", b'{"promptFeedback": {"blockReason": "SAFETY"}}')))
    assert reading.end().finish is Finish.FILTERED


# OpenAI


@pytest.mark.parametrize("name", ["openai", "openai-responses"])
def test_nulls_of_strict_mode_are_taken_out_of_what_runs_and_left_in_what_goes_back(name: str) -> None:
    ask = Ask("", [], [], {"look": frozenset({"/top_k"})})
    reading = ChatReading(MODEL, ask) if name == "openai" else ResponsesReading(MODEL, ask)
    service, args = SERVICES[name], '{"q": "x", "top_k": null, "note": null}'
    ended = read(reading, service.stream("", [("c1", "look", args), ("c2", "other", args)], service.finishes["calls"]))
    assert json.loads(str(ended.calls[0].args)) == {"q": "x", "note": None}
    assert ended.calls[1].args == args
    assert ended.item.calls[0].args == args


def test_what_a_compatible_server_adds_to_a_call_goes_back_with_it() -> None:
    events = chat("", [("c1", "look", "{}")], "tool_calls")
    extra = {"google": {"thought_signature": "c2ln"}}
    events[1]["choices"][0]["delta"]["tool_calls"][0]["extra_content"] = extra
    ended = read(ChatReading(MODEL, Ask("", [], [])), events)
    assert ended.item.parts[0]["tool_calls"][0]["extra_content"] == extra


def test_a_forced_call_that_ends_in_stop_is_a_call() -> None:
    ended = read(ChatReading(MODEL, Ask("", [], [])), chat("", [("c1", "look", "{}")], "stop"))
    assert ended.finish is Finish.CALLS
    assert isinstance(parse(ended.calls[0].args), Parsed)


@pytest.mark.threat("T07")
def test_an_item_that_was_begun_and_never_finished_spoils_a_response_that_claims_to_be_complete() -> None:
    service = SERVICES["openai-responses"]
    events = service.stream("", [("c1", "pay", '{"amount": 1}')], "completed")
    events = [event for event in events if event["type"] != "response.output_item.done"]
    ended = read(service.reading(), events)
    assert ended.finish is Finish.ERROR
    assert not isinstance(parse(ended.calls[0].args), Parsed)


# Anthropic


def test_calls_run_under_tool_use_alone() -> None:
    for reason, finish in (("end_turn", Finish.ERROR), ("pause_turn", Finish.PAUSED), ("new_reason", Finish.ERROR)):
        ended = read(MessagesReading(MODEL), anthropic("", [("c1", "pay", '{"amount": 1}')], reason))
        assert ended.finish is finish
        assert not isinstance(parse(ended.calls[0].args), Parsed)


def test_blocks_that_nobody_knows_go_back_as_they_came_and_empty_words_do_not() -> None:
    events = anthropic("", [("c1", "look", '{"a": 1}')], "tool_use")
    events.insert(1, {"type": "content_block_start", "index": 9, "content_block": {"type": "novelty", "x": [1]}})
    ended = read(MessagesReading(MODEL), events)
    assert ended.item.parts == (
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"a": 1}},
        {"type": "novelty", "x": [1]},
    )


async def test_a_server_that_keeps_the_line_open_behind_the_end_does_not_hold_up_the_step() -> None:
    """The bytes after `[DONE]` are waited for a moment only."""
    stream = as_bytes(chat("Hello.", [], "stop")) + b": still here\n\n" * 3
    async with sending(SERVICES["openai"], stream) as provider:
        _, ended = await step_of(provider)
    assert ended.item.text == "Hello."

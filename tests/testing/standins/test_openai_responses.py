"""The stand-in of Responses, with OpenAI's own client on the other side."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from tests.testing.standins.clients import SCHEMA, openai_client

from ambidex.testing.standins import (
    Call,
    Calls,
    Cut,
    ErrorMidStream,
    Filtered,
    OpenAIResponsesStandin,
    RateLimited,
    Say,
    ServerError,
    Step,
    Truncated,
)

TOOLS: Any = [{"type": "function", "name": "look", "parameters": SCHEMA, "strict": True}]
HELLO: dict[str, Any] = {"role": "user", "content": "hello"}


def asking(call_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "look", "arguments": "{}", **more}


def answering(call_id: str, output: Any = "found") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": output}


async def events(it: OpenAIResponsesStandin, input: Any = "hello", **options: Any) -> list[Any]:
    request: dict[str, Any] = {"model": "m", "input": input, "tools": TOOLS, "stream": True, **options}
    return [event async for event in await openai_client(it).responses.create(**request)]


async def items(it: OpenAIResponsesStandin, input: Any = "hello", **options: Any) -> list[dict[str, Any]]:
    """The items of a response that ended well, as they go back."""
    last = (await events(it, input, **options))[-1]
    assert last.type == "response.completed"
    return [item.model_dump(exclude_none=True) for item in last.response.output]


async def test_words_arrive_in_pieces_and_whole_and_events_are_numbered() -> None:
    async with OpenAIResponsesStandin([Say("Grüße aus Zürich 🐈")]) as it:
        seen = await events(it)
    assert "".join(event.delta for event in seen if event.type == "response.output_text.delta") == "Grüße aus Zürich 🐈"
    assert [event.sequence_number for event in seen] == list(range(len(seen)))
    assert seen[-1].response.output_text == "Grüße aus Zürich 🐈"


async def test_parallel_calls_and_no_arguments() -> None:
    async with OpenAIResponsesStandin([Calls(Call("look", {"query": "ä"}, id="a"), Call("look", id="b"))]) as it:
        calls = await items(it)
    assert [(call["call_id"], call["arguments"]) for call in calls] == [("a", '{"query": "ä"}'), ("b", "{}")]
    assert all(call["id"].startswith("fc_") for call in calls)


async def test_an_answer_completes_the_round_trip() -> None:
    async with OpenAIResponsesStandin([Calls(Call("look", id="a")), Say("done")]) as it:
        calls = await items(it)
        done = await items(it, [HELLO, *calls, answering("a")])
        assert done[0]["content"][0]["text"] == "done"
        assert it.refused == []


async def test_an_answer_may_name_the_response_that_asked() -> None:
    async with OpenAIResponsesStandin([Calls(Call("look", id="a")), Say("done")]) as it:
        asked = (await events(it))[-1].response
        assert await items(it, [answering("a")], previous_response_id=asked.id)
        with pytest.raises(openai.BadRequestError, match="not found"):
            await events(it, [answering("a")], previous_response_id="resp_other")


async def test_what_was_not_stored_cannot_be_gone_on_from() -> None:
    async with OpenAIResponsesStandin([Calls(Call("look", id="a")), Say("never")]) as it:
        asked = (await events(it, store=False))[-1].response
        with pytest.raises(openai.BadRequestError, match="not found"):
            await events(it, [answering("a")], previous_response_id=asked.id)


async def test_thoughts_go_back_with_what_they_led_to() -> None:
    async with OpenAIResponsesStandin([Calls(Call("look", id="a")), Say("done")], thinks=True) as it:
        thought, call = await items(it)
        with pytest.raises(openai.BadRequestError, match="without its required 'reasoning' item"):
            await events(it, [HELLO, call, answering("a")])
        with pytest.raises(openai.BadRequestError, match="without its required following item"):
            await events(it, [HELLO, thought])
        assert await items(it, [HELLO, thought, call, answering("a")])


async def test_thoughts_that_the_service_did_not_keep_need_their_encrypted_content() -> None:
    kept: dict[str, Any] = {"store": False, "include": ["reasoning.encrypted_content"]}
    async with OpenAIResponsesStandin([Calls(Call("look", id="a")), Say("done")], thinks=True) as it:
        thought, call = await items(it, **kept)
        bare = {name: value for name, value in thought.items() if name != "encrypted_content"}
        with pytest.raises(openai.NotFoundError, match="not persisted"):
            await events(it, [HELLO, bare, call, answering("a")])
        with pytest.raises(openai.BadRequestError, match="could not be verified"):
            await events(it, [HELLO, {**thought, "encrypted_content": "other"}, call, answering("a")])
        assert await items(it, [HELLO, thought, call, answering("a")], **kept)


async def test_truncated_arguments_are_an_incomplete_response() -> None:
    async with OpenAIResponsesStandin([Truncated(Call("look", {"query": "a long one"}))]) as it:
        seen = await events(it)
    assert seen[-1].type == "response.incomplete"
    assert seen[-1].response.incomplete_details.reason == "max_output_tokens"
    assert seen[-1].response.output[0].status == "incomplete"
    assert "response.function_call_arguments.done" not in [event.type for event in seen]


async def test_what_was_filtered_is_incomplete_too() -> None:
    async with OpenAIResponsesStandin([Filtered("So")]) as it:
        assert (await events(it))[-1].response.incomplete_details.reason == "content_filter"


async def test_an_error_mid_stream_comes_as_an_event_and_fails_the_response() -> None:
    async with OpenAIResponsesStandin([ErrorMidStream(Call("look"), text="half")]) as it:
        seen = await events(it)
    assert [event.type for event in seen[-2:]] == ["error", "response.failed"]
    assert seen[-1].response.error.code == "server_error"


FAILURES: list[tuple[Step, type[Exception]]] = [
    (RateLimited(3), openai.RateLimitError),
    (ServerError(500), openai.InternalServerError),
    (Cut(text="half"), openai.APIConnectionError),
]


@pytest.mark.parametrize(("step", "error"), FAILURES, ids=lambda value: getattr(value, "__name__", None))
async def test_failures_raise_the_clients_own_exceptions(step: Step, error: type[Exception]) -> None:
    async with OpenAIResponsesStandin([step, Say("again")]) as it:
        with pytest.raises(error):
            await events(it)
        assert await items(it)


async def test_a_wrong_key_is_refused() -> None:
    async with OpenAIResponsesStandin([Say("x")], key="right") as it:
        with pytest.raises(openai.AuthenticationError):
            await openai_client(it, "wrong").responses.create(model="m", input="x", stream=True)


REFUSED: dict[str, list[dict[str, Any]]] = {
    "No tool output found for function call b": [HELLO, asking("a"), asking("b"), answering("a")],
    "No tool call found .* call_id other": [HELLO, asking("a"), answering("other")],
    "No tool call found .* call_id a": [HELLO, asking("a"), answering("a"), answering("a")],
    "No tool call found .*": [HELLO, answering("a"), asking("a")],
    "Duplicate function call": [HELLO, asking("a"), asking("a"), answering("a"), answering("a")],
    "Expected an ID that begins with 'fc'": [HELLO, asking("a", id="call_a"), answering("a")],
    "expected an array, but got dict": [HELLO, asking("a"), answering("a", {"ok": True})],
    "Invalid value for 'input\\[0\\].type'": [{"type": "tool", "content": "x"}],
    "Invalid value for 'input\\[0\\].role'": [{"role": "tool", "content": "x"}],
    "Supported values are: input_file": [{"role": "user", "content": [{"type": "text", "text": "x"}]}],
    "Unknown parameter: 'input\\[1\\].tool_calls'": [HELLO, {"role": "assistant", "content": "x", "tool_calls": []}],
}


@pytest.mark.parametrize("said", REFUSED)
async def test_a_conversation_that_the_service_would_not_take_is_refused(said: str) -> None:
    async with OpenAIResponsesStandin([Say("never")]) as it:
        with pytest.raises(openai.BadRequestError, match=said):
            await events(it, REFUSED[said])


BAD_TOOLS: dict[str, Any] = {
    "nested": [{"type": "function", "function": TOOLS[0]}],
    "without strict": [{"type": "function", "name": "look", "parameters": SCHEMA}],
    "twice": TOOLS * 2,
    "strict and optional": [{**TOOLS[0], "parameters": {**SCHEMA, "required": []}}],
}


@pytest.mark.parametrize("wrong", BAD_TOOLS)
async def test_a_tool_of_the_wrong_shape_is_refused(wrong: str) -> None:
    async with OpenAIResponsesStandin([Say("never")]) as it:
        with pytest.raises(openai.BadRequestError):
            await events(it, tools=BAD_TOOLS[wrong])

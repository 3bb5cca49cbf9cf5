"""The stand-in of Anthropic Messages, with Anthropic's own client on the other side."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest
from tests.testing.standins.clients import SCHEMA, anthropic_client

from ambidex.testing.standins import (
    AnthropicStandin,
    Call,
    Calls,
    Cut,
    ErrorMidStream,
    Filtered,
    RateLimited,
    Say,
    ServerError,
    Step,
    Truncated,
)

TOOLS: Any = [{"name": "look", "description": "Looks.", "input_schema": SCHEMA}]
HELLO: dict[str, Any] = {"role": "user", "content": "hello"}


def asking(*ids: str) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": id, "name": "look", "input": {"query": "x"}} for id in ids]
    return {"role": "assistant", "content": blocks}


def result(id: str, content: Any = "found") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def answering(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


async def message(it: AnthropicStandin, messages: Any = (HELLO,), **options: Any) -> Any:
    request = {"model": "m", "max_tokens": 100, "tools": TOOLS, "messages": list(messages), **options}
    async with anthropic_client(it).messages.stream(**request) as stream:
        return await stream.get_final_message()


async def test_words_arrive_whole_although_they_were_cut_inside_of_characters() -> None:
    async with AnthropicStandin([Say("Grüße aus Zürich 🐈")]) as it:
        whole = await message(it)
    assert (whole.content[0].text, whole.stop_reason) == ("Grüße aus Zürich 🐈", "end_turn")


async def test_parallel_calls_and_no_arguments() -> None:
    step = Calls(Call("look", {"query": "ä"}, id="a"), Call("look", id="b"), text="One moment.")
    async with AnthropicStandin([step]) as it:
        whole = await message(it)
    assert [block.type for block in whole.content] == ["text", "tool_use", "tool_use"]
    assert [(block.id, block.input) for block in whole.content[1:]] == [("a", {"query": "ä"}), ("b", {})]
    assert whole.stop_reason == "tool_use"


async def test_no_arguments_are_one_empty_piece() -> None:
    async with AnthropicStandin([Calls(Call("look"))]) as it:
        stream = await anthropic_client(it).messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "hello"}], stream=True
        )
        pieces = [event.delta.partial_json async for event in stream if event.type == "content_block_delta"]  # type: ignore[union-attr]
    assert pieces == [""]


async def test_an_answer_completes_the_round_trip_with_the_thoughts_before_it() -> None:
    async with AnthropicStandin([Calls(Call("look", id="a")), Say("done")], thinks=True) as it:
        asked = {"role": "assistant", "content": (await message(it)).content}
        assert (await message(it, [HELLO, asked, answering(result("a"))])).content[-1].text == "done"
        assert it.refused == []


async def test_thoughts_that_were_dropped_or_changed_are_refused() -> None:
    async with AnthropicStandin([Calls(Call("look", id="a")), Say("never")], thinks=True) as it:
        thought, call = (block.model_dump(exclude_none=True) for block in (await message(it)).content)
        for content in ([call], [{**thought, "thinking": "I had other thoughts."}, call]):
            with pytest.raises(anthropic.BadRequestError, match="thinking"):
                await message(it, [HELLO, {"role": "assistant", "content": content}, answering(result("a"))])


async def test_truncated_arguments_look_closed_and_only_the_reason_tells() -> None:
    async with AnthropicStandin([Truncated(Call("look", {"query": "a long one"}))]) as it:
        whole = await message(it)
    assert whole.stop_reason == "max_tokens"
    assert whole.content[0].type == "tool_use"


async def test_what_was_filtered_ends_in_a_refusal() -> None:
    async with AnthropicStandin([Filtered("So")]) as it:
        assert (await message(it)).stop_reason == "refusal"


FAILURES: list[tuple[Step, type[Exception]]] = [
    (RateLimited(3), anthropic.RateLimitError),
    (ServerError(500), anthropic.InternalServerError),
    (ServerError(529), anthropic.OverloadedError),
    (ErrorMidStream(text="half"), anthropic.APIStatusError),
]


@pytest.mark.parametrize(("step", "error"), FAILURES, ids=lambda value: getattr(value, "__name__", None))
async def test_failures_raise_the_clients_own_exceptions(step: Step, error: type[Exception]) -> None:
    async with AnthropicStandin([step, Say("again")]) as it:
        with pytest.raises(error) as raised:
            await message(it)
        if isinstance(raised.value, anthropic.RateLimitError):
            assert raised.value.response.headers["retry-after"] == "3"
        assert (await message(it)).content[0].text == "again"


async def test_a_connection_that_is_cut_is_no_message() -> None:
    async with AnthropicStandin([Cut(Call("look"), text="half")]) as it:
        with pytest.raises(Exception, match="incomplete chunked read"):
            await message(it)


async def test_a_wrong_key_is_refused() -> None:
    async with AnthropicStandin([Say("x")], key="right") as it:
        with pytest.raises(anthropic.AuthenticationError):
            await anthropic_client(it, "wrong").messages.create(
                model="m", max_tokens=9, messages=[{"role": "user", "content": "hello"}], stream=True
            )


REFUSED: dict[str, list[dict[str, Any]]] = {
    "without `tool_result` blocks immediately after: b": [HELLO, asking("a", "b"), answering(result("a"))],
    "without `tool_result` blocks immediately after: a": [HELLO, asking("a"), HELLO],
    "unexpected `tool_use_id` .*: other": [HELLO, asking("a"), answering(result("other"))],
    "unexpected `tool_use_id` .*: a": [HELLO, answering(result("a"))],
    "multiple `tool_result` blocks with id: a": [HELLO, asking("a"), answering(result("a"), result("a"))],
    "must come first": [HELLO, asking("a"), answering({"type": "text", "text": "here"}, result("a"))],
    "ids must be unique": [HELLO, asking("a"), answering(result("a")), asking("a"), answering(result("a"))],
    "Unexpected role": [{"role": "system", "content": "x"}, HELLO],
    "first message must use": [{"role": "assistant", "content": "x"}, HELLO],
    "does not support assistant message prefill": [HELLO, {"role": "assistant", "content": "x"}],
    "must be non-empty": [answering({"type": "text", "text": ""})],
    "found using role 'assistant'": [HELLO, {"role": "assistant", "content": [result("a")]}, HELLO],
    "a string or a list of blocks": [HELLO, asking("a"), answering(result("a", {"ok": True}))],
}


@pytest.mark.parametrize("said", REFUSED)
async def test_a_conversation_that_the_service_would_not_take_is_refused(said: str) -> None:
    async with AnthropicStandin([Say("never")]) as it:
        with pytest.raises(anthropic.BadRequestError, match=said):
            await message(it, REFUSED[said])


async def test_calls_cannot_be_told_without_their_tools() -> None:
    async with AnthropicStandin([Say("never")]) as it:
        with pytest.raises(anthropic.BadRequestError, match="must define tools"):
            await message(it, [HELLO, asking("a"), answering(result("a"))], tools=[])


@pytest.mark.parametrize("name", ["temperature", "top_p", "top_k"])
async def test_sampling_is_gone_from_this_version_even_as_it_was_by_default(name: str) -> None:
    async with AnthropicStandin([Say("never"), Say("fine")]) as it:
        with pytest.raises(anthropic.BadRequestError, match=f"{name}: Extra inputs"):
            await message(it, extra_body={name: 1})
        older = {"anthropic-version": "2023-06-01"}
        assert await message(it, extra_body={name: 1}, extra_headers=older)


BAD_TOOLS: dict[str, Any] = {
    "openai's shape": [{"type": "function", "function": {"name": "look", "parameters": SCHEMA}}],
    "without a schema": [{"name": "look"}],
    "name": [{"name": "kb.search", "input_schema": SCHEMA}],
    "not an object": [{"name": "look", "input_schema": {"type": "string"}}],
    "twice": TOOLS * 2,
}


@pytest.mark.parametrize("wrong", BAD_TOOLS)
async def test_a_tool_of_the_wrong_shape_is_refused(wrong: str) -> None:
    async with AnthropicStandin([Say("never")]) as it:
        with pytest.raises(anthropic.BadRequestError):
            await message(it, tools=BAD_TOOLS[wrong])

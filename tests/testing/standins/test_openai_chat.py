"""The stand-in of Chat Completions, with OpenAI's own client on the other side."""

from __future__ import annotations

from collections.abc import Callable
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
    Heard,
    OpenAIChatStandin,
    RateLimited,
    Say,
    ServerError,
    Step,
    Truncated,
)

TOOLS: Any = [{"type": "function", "function": {"name": "look", "parameters": SCHEMA, "strict": True}}]
HELLO: Any = [{"role": "user", "content": "hello"}]


def asking(*ids: str) -> dict[str, Any]:
    function = {"name": "look", "arguments": '{"query": "x"}'}
    return {"role": "assistant", "tool_calls": [{"id": id, "type": "function", "function": function} for id in ids]}


def answering(id: str, content: Any = "found") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


async def read(it: OpenAIChatStandin, messages: Any = HELLO, **options: Any) -> tuple[str, dict[str, str], str | None]:
    """The words, the arguments of each call, and the finish reason, as the client gives them."""
    words, calls, finish = "", dict[int, list[str]](), None
    request = {"model": "m", "tools": TOOLS, **options}
    async for chunk in await openai_client(it).chat.completions.create(messages=messages, stream=True, **request):
        for choice in chunk.choices:
            words += choice.delta.content or ""
            for piece in choice.delta.tool_calls or ():
                assert piece.function is not None
                calls.setdefault(piece.index, [piece.id or "", ""])[1] += piece.function.arguments or ""
            finish = choice.finish_reason or finish
    return words, dict(calls.values()), finish


async def test_words_arrive_whole_although_they_were_cut_inside_of_characters() -> None:
    async with OpenAIChatStandin([Say("Grüße aus Zürich 🐈")]) as it:
        assert await read(it) == ("Grüße aus Zürich 🐈", {}, "stop")
        assert it.requests[0]["messages"] == HELLO


async def test_parallel_calls_keep_their_arguments_apart_and_no_arguments_are_an_empty_object() -> None:
    step = Calls(Call("look", {"query": "ä"}, id="a"), Call("look", id="b"), text="One moment.")
    async with OpenAIChatStandin([step]) as it:
        assert await read(it) == ("One moment.", {"a": '{"query": "ä"}', "b": "{}"}, "tool_calls")


async def test_a_script_can_obey_what_it_reads() -> None:
    def model(heard: Heard) -> Step:
        assert heard.tools == ("look",)
        if not heard.answers:
            return Calls(Call("look", {"query": heard.said}))
        return Say(f"{heard.answers[0].name}: {heard.answers[0].value['n']}")

    async with OpenAIChatStandin(model) as it:
        _, calls, _ = await read(it)
        [(id, arguments)] = calls.items()
        assert arguments == '{"query": "hello"}'
        words, *_ = await read(it, [*HELLO, asking(id), answering(id, '{"n": 7}')])
        assert words == "look: 7"
        assert it.refused == []


async def test_truncated_arguments_end_in_length() -> None:
    async with OpenAIChatStandin([Truncated(Call("look", {"query": "a long one"}, id="a"))]) as it:
        _, calls, finish = await read(it)
    assert finish == "length"
    assert '{"query": "a long one"}'.startswith(calls["a"])
    assert not calls["a"].endswith("}")


async def test_what_was_filtered_ends_in_its_own_reason() -> None:
    async with OpenAIChatStandin([Filtered("So")]) as it:
        assert await read(it) == ("So", {}, "content_filter")


async def test_usage_is_told_to_those_who_ask() -> None:
    async with OpenAIChatStandin([Say("x")]) as it:
        stream = await openai_client(it).chat.completions.create(
            model="m", messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
        assert [chunk.usage.total_tokens async for chunk in stream if chunk.usage] == [18]


FAILURES: list[tuple[Step, type[Exception]]] = [
    (RateLimited(3), openai.RateLimitError),
    (ServerError(500), openai.InternalServerError),
    (ServerError(503), openai.InternalServerError),
    (ErrorMidStream(text="half"), openai.APIError),
    (Cut(text="half"), openai.APIConnectionError),
]


@pytest.mark.parametrize(("step", "error"), FAILURES, ids=lambda value: getattr(value, "__name__", None))
async def test_failures_raise_the_clients_own_exceptions(step: Step, error: type[Exception]) -> None:
    async with OpenAIChatStandin([step, Say("again")]) as it:
        with pytest.raises(error) as raised:
            await read(it)
        if isinstance(raised.value, openai.RateLimitError):
            assert raised.value.response.headers["retry-after"] == "3"
        assert (await read(it))[0] == "again"


async def test_a_wrong_key_is_refused() -> None:
    async with OpenAIChatStandin([Say("x")], key="right") as it:
        with pytest.raises(openai.AuthenticationError):
            await openai_client(it, "wrong").chat.completions.create(model="m", messages=HELLO, stream=True)
        assert it.requests == []


async def test_another_path_does_not_exist() -> None:
    async with OpenAIChatStandin([]) as it:
        with pytest.raises(openai.NotFoundError):
            await openai_client(it).embeddings.create(model="m", input="x")


async def test_a_script_that_is_over_says_so() -> None:
    async with OpenAIChatStandin([]) as it:
        with pytest.raises(openai.BadRequestError, match="no step left"):
            await read(it)


REFUSED: dict[str, list[dict[str, Any]]] = {
    "did not have response messages: b": [*HELLO, asking("a", "b"), answering("a")],
    "did not have response messages: a": [*HELLO, asking("a"), *HELLO],
    "must be a response": [*HELLO, asking("a"), answering("other")],
    "must be a response to": [*HELLO, asking("a"), answering("a"), answering("a")],
    "must be a response to a": [*HELLO, answering("a")],
    "Duplicate tool call ids": [*HELLO, asking("a", "a"), answering("a"), answering("a")],
    "expected an array, but got dict": [*HELLO, asking("a"), answering("a", {"ok": True})],
    "Invalid value for 'messages\\[0\\].role'": [{"role": "model", "content": "x"}],
    "Unknown parameter: 'messages\\[0\\].parts'": [{"role": "user", "content": "x", "parts": []}],
    "empty array": [{"role": "assistant", "content": "x", "tool_calls": []}],
}


@pytest.mark.parametrize("said", REFUSED)
async def test_a_conversation_that_the_service_would_not_take_is_refused(said: str) -> None:
    async with OpenAIChatStandin([Say("never")]) as it:
        with pytest.raises(openai.BadRequestError, match=said):
            await read(it, REFUSED[said])
        assert len(it.refused) == 1


def function(**changes: Any) -> dict[str, Any]:
    return {"type": "function", "function": {**TOOLS[0]["function"], **changes}}


OPTIONAL = {**SCHEMA, "required": []}
BAD_TOOLS: dict[str, Callable[[], Any]] = {
    "flat": lambda: [{"type": "function", "name": "look", "parameters": SCHEMA}],
    "name": lambda: [function(name="kb.search")],
    "twice": lambda: [function(), function()],
    "none": list,
    "not an object": lambda: [function(parameters={"type": "string"})],
    "strict and optional": lambda: [function(parameters=OPTIONAL)],
    "strict and open": lambda: [function(parameters={**SCHEMA, "additionalProperties": True})],
    "strict with a default": lambda: [
        function(parameters={**SCHEMA, "properties": {"query": {"type": "string", "default": ""}}})
    ],
    "strict and open inside": lambda: [
        function(
            parameters={
                **SCHEMA,
                "properties": {"query": {"type": "array", "items": {"type": "object", "properties": {}}}},
            }
        )
    ],
}


@pytest.mark.parametrize("wrong", BAD_TOOLS)
async def test_a_tool_of_the_wrong_shape_is_refused(wrong: str) -> None:
    async with OpenAIChatStandin([Say("never")]) as it:
        with pytest.raises(openai.BadRequestError):
            await read(it, tools=BAD_TOOLS[wrong]())


async def test_a_schema_that_is_not_strict_need_not_be() -> None:
    async with OpenAIChatStandin([Say("fine")]) as it:
        assert (await read(it, tools=[function(parameters=OPTIONAL, strict=False)]))[0] == "fine"


async def test_what_the_service_does_not_know_is_refused() -> None:
    async with OpenAIChatStandin([Say("never")]) as it:
        with pytest.raises(openai.BadRequestError, match="Unknown parameter: 'mode'"):
            await read(it, extra_body={"mode": "voice"})

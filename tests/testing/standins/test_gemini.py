"""The stand-in of Gemini, with Google's own client on the other side."""

from __future__ import annotations

from typing import Any

import pytest
from google.genai import errors, types
from tests.testing.standins.clients import SCHEMA, gemini_client

from ambidex.testing.standins import (
    Call,
    Calls,
    Cut,
    ErrorMidStream,
    Filtered,
    GeminiStandin,
    RateLimited,
    Say,
    ServerError,
    Step,
    Truncated,
)

LOOK: dict[str, Any] = {"name": "look", "description": "Looks.", "parametersJsonSchema": SCHEMA}
NATIVE: dict[str, Any] = {"type": "OBJECT", "properties": {"query": {"type": "STRING"}}, "required": ["query"]}
HELLO: dict[str, Any] = {"role": "user", "parts": [{"text": "hello"}]}


def asking(*ids: str | None) -> dict[str, Any]:
    """As another application may have kept them: without signatures."""
    return {"role": "model", "parts": [{"functionCall": {**named(id), "args": {"query": "x"}}} for id in ids]}


def answer(id: str | None, **changes: Any) -> dict[str, Any]:
    return {"functionResponse": {**named(id), "response": {"output": {}}, **changes}}


def answering(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def named(id: str | None) -> dict[str, Any]:
    return {"name": "look"} if id is None else {"name": "look", "id": id}


async def chunks(it: GeminiStandin, contents: Any = (HELLO,), *, model: str = "gemini-3", **body: Any) -> list[Any]:
    """Sent as given: the client's own types would mend, or refuse, what the service is to be asked."""
    declared = {"tools": [{"functionDeclarations": [LOOK]}]}
    options = types.HttpOptions(extra_body={"contents": list(contents), **declared, **body})
    quiet = types.AutomaticFunctionCallingConfig(disable=True)
    config = types.GenerateContentConfig(http_options=options, automatic_function_calling=quiet)
    stream = await gemini_client(it).aio.models.generate_content_stream(model=model, contents="hello", config=config)
    return [chunk async for chunk in stream]


def parts_of(seen: list[Any]) -> list[dict[str, Any]]:
    """Every part as it must go back."""
    contents = [chunk.candidates[0].content for chunk in seen]
    parts = [part for content in contents if content for part in content.parts or ()]
    return [part.model_dump(mode="json", by_alias=True, exclude_none=True) for part in parts]


def reason_of(seen: list[Any]) -> str:
    return str(seen[-1].candidates[0].finish_reason.value)


async def test_words_arrive_whole_although_they_were_cut_inside_of_characters() -> None:
    async with GeminiStandin([Say("Grüße aus Zürich 🐈")]) as it:
        seen = await chunks(it)
    assert "".join(part["text"] for part in parts_of(seen)) == "Grüße aus Zürich 🐈"
    assert reason_of(seen) == "STOP"


async def test_the_clients_own_types_are_taken() -> None:
    declared = types.FunctionDeclaration(name="look", parameters_json_schema=SCHEMA)
    quiet = types.AutomaticFunctionCallingConfig(disable=True)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])], automatic_function_calling=quiet, system_instruction="Be."
    )
    async with GeminiStandin(lambda heard: Say(f"{heard.system} {heard.tools} {heard.said}")) as it:
        stream = await gemini_client(it).aio.models.generate_content_stream(model="m", contents="hi", config=config)
        assert "".join([chunk.text or "" async for chunk in stream]) == "Be. ('look',) hi"


async def test_parallel_calls_of_which_the_first_is_signed_and_no_arguments() -> None:
    async with GeminiStandin([Calls(Call("look", {"query": "ä"}, id="a"), Call("look", id="b"))]) as it:
        seen = await chunks(it)
    first, second = parts_of(seen)
    assert first["functionCall"] == {"id": "a", "name": "look", "args": {"query": "ä"}}
    assert second == {"functionCall": {"id": "b", "name": "look"}}
    assert first["thoughtSignature"]
    assert reason_of(seen) == "STOP"


@pytest.mark.parametrize("ids", [True, False])
async def test_answers_complete_the_round_trip(ids: bool) -> None:
    step = Calls(Call("look", {"query": "x"}, id="a"), Call("look", id="b"))
    async with GeminiStandin([step, Say("done")], ids=ids, thinks=True) as it:
        asked = {"role": "model", "parts": parts_of(await chunks(it))}
        back = answering(answer("a" if ids else None), answer("b" if ids else None))
        seen = await chunks(it, [HELLO, asked, back])
        assert it.refused == []
    assert "done" in "".join(part["text"] for part in parts_of(seen))


async def test_a_signature_that_is_missing_or_elsewhere_is_refused() -> None:
    step = Calls(Call("look", {"query": "x"}, id="a"), Call("look", id="b"))
    async with GeminiStandin([step, Say("never")]) as it:
        first, second = parts_of(await chunks(it))
        sign = {"thoughtSignature": first["thoughtSignature"]}
        bare = {"functionCall": first["functionCall"]}
        wrong = {"missing": [bare, second], "moved": [bare, {**second, **sign}], "twice": [first, {**second, **sign}]}
        for parts in wrong.values():
            with pytest.raises(errors.ClientError, match="signature"):
                await chunks(it, [HELLO, {"role": "model", "parts": parts}, answering(answer("a"), answer("b"))])
        asked = {"role": "model", "parts": [first, second]}
        with pytest.raises(errors.ClientError, match="not valid"):
            await chunks(it, [HELLO, asked, answering(answer("a"), answer("b"))], model="gemini-other")


async def test_signatures_of_earlier_turns_may_be_left_out() -> None:
    async with GeminiStandin([Say("fine")]) as it:
        assert await chunks(it, [HELLO, asking("a"), answering(answer("a")), HELLO])


async def test_truncated_arguments_look_whole_and_only_the_reason_tells() -> None:
    async with GeminiStandin([Truncated(Call("look", {"query": "a long one"}))]) as it:
        seen = await chunks(it)
    assert reason_of(seen) == "MAX_TOKENS"
    assert parts_of(seen)[0]["functionCall"]["name"] == "look"


async def test_arguments_that_are_no_object_have_a_reason_of_their_own() -> None:
    async with GeminiStandin([Calls(Call("look", '{"query": '))]) as it:
        seen = await chunks(it)
    assert (parts_of(seen), reason_of(seen)) == ([], "MALFORMED_FUNCTION_CALL")


async def test_what_was_filtered_ends_in_its_own_reason() -> None:
    async with GeminiStandin([Filtered("So")]) as it:
        assert reason_of(await chunks(it)) == "SAFETY"


FAILURES: list[tuple[Step, type[errors.APIError], int]] = [
    (RateLimited(3), errors.ClientError, 429),
    (ServerError(500), errors.ServerError, 500),
    (ServerError(503), errors.ServerError, 503),
    (ErrorMidStream(text="half"), errors.ServerError, 503),
]


@pytest.mark.parametrize(("step", "error", "code"), FAILURES, ids=lambda value: getattr(value, "__name__", None))
async def test_failures_raise_the_clients_own_exceptions(step: Step, error: type[errors.APIError], code: int) -> None:
    async with GeminiStandin([step, Say("again")]) as it:
        with pytest.raises(error) as raised:
            await chunks(it)
        assert raised.value.code == code
        assert ("'retryDelay': '3s'" in str(raised.value)) == (code == 429)
        assert await chunks(it)


async def test_a_connection_that_is_cut_is_no_answer() -> None:
    async with GeminiStandin([Cut(Call("look"), text="half")]) as it:
        with pytest.raises(Exception, match="incomplete chunked read"):
            await chunks(it)


async def test_a_wrong_key_is_refused() -> None:
    async with GeminiStandin([Say("x")], key="right") as it:
        with pytest.raises(errors.ClientError, match="API key not valid"):
            await chunks(it)


REFUSED: dict[str, list[dict[str, Any]]] = {
    "number of function response parts": [HELLO, asking("a", "b"), answering(answer("a"))],
    "number of function response parts is": [HELLO, asking("a"), HELLO],
    "number of function response parts is equal": [HELLO, asking("a"), answering(answer("a"), answer("a"))],
    "comes immediately after a function call turn": [HELLO, answering(answer("a"))],
    "comes immediately after a user turn": [asking("a"), answering(answer("a"))],
    "'other' \\(look\\) belongs to no call": [HELLO, asking("a"), answering(answer("other"))],
    "'a' \\(find\\) belongs to no call": [HELLO, asking("a"), answering(answer("a", name="find"))],
    "'a' \\(look\\) belongs to no call": [HELLO, asking("a", "b"), answering(answer("a"), answer("a"))],
    "\\(find\\) belongs to no call": [HELLO, asking(None), answering(answer(None, name="find"))],
    "function responses only": [HELLO, asking("a"), answering(answer("a"), {"text": "and this"})],
    "response': expected an object": [HELLO, asking("a"), answering(answer("a", response="found"))],
    "valid role": [HELLO, asking("a"), {"role": "function", "parts": [answer("a")]}],
    "end with a user role": [HELLO, {"role": "model", "parts": [{"text": "x"}]}],
    "one initialized field": [{"role": "user", "parts": [{}]}],
    'Unknown name "content"': [{"role": "user", "content": "hello"}],
}


@pytest.mark.parametrize("said", REFUSED)
async def test_a_conversation_that_the_service_would_not_take_is_refused(said: str) -> None:
    async with GeminiStandin([Say("never")]) as it:
        with pytest.raises(errors.ClientError, match=said):
            await chunks(it, REFUSED[said])


def native(**changes: Any) -> dict[str, Any]:
    return {"name": "look", "parameters": {**NATIVE, **changes}}


BAD_TOOLS: dict[str, list[dict[str, Any]]] = {
    "only one of parameters": [{**LOOK, "parameters": NATIVE}],
    "only one of": [{"name": "look", "parameters": NATIVE, "parameters_json_schema": SCHEMA}],
    'Unknown name "input_?[sS]chema"': [{"name": "look", "inputSchema": SCHEMA}],
    'Unknown name "uniqueItems"': [native(properties={"query": {"type": "ARRAY", "items": {}, "uniqueItems": True}})],
    "Invalid value at": [native(properties={"query": {"type": ["STRING", "NULL"]}})],
    "non-empty for OBJECT": [native(properties={})],
    "enum': expected a string": [native(properties={"query": {"type": "INTEGER", "enum": [1]}})],
    "missing field": [native(properties={"query": {"type": "ARRAY"}})],
    "Invalid function name": [{**LOOK, "name": "9 lives"}],
    "Duplicate function declaration": [LOOK, LOOK],
}


@pytest.mark.parametrize("said", BAD_TOOLS)
async def test_a_tool_of_the_wrong_shape_is_refused(said: str) -> None:
    async with GeminiStandin([Say("never")]) as it:
        with pytest.raises(errors.ClientError, match=said):
            await chunks(it, tools=[{"functionDeclarations": BAD_TOOLS[said]}])


async def test_a_native_schema_is_taken_as_well() -> None:
    async with GeminiStandin([Say("fine")]) as it:
        assert await chunks(it, tools=[{"functionDeclarations": [native()]}])

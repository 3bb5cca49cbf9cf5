"""A conversation over Responses goes on wherever it is sent: nothing of it is left with the service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.transports.frames import step_of

from ambidex.testing.standins import Call, Calls, OpenAIResponsesStandin, RateLimited, Say
from ambidex.transports.base import Ask, ProviderFault
from ambidex.transports.faults import fault_of_answer
from ambidex.transports.items import Item, ResultItem, StepItem, UserItem
from ambidex.transports.openai_responses import OpenAIResponses
from ambidex.transports.openai_thoughts import ENCRYPTED, Thoughts
from ambidex.transports.provider import Account

SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False, "required": []}
TOOLS = [{"type": "function", "name": "look", "parameters": SCHEMA, "strict": True}]
HELLO: list[Item] = [UserItem(text="hi")]


def provider_of(service: OpenAIResponsesStandin) -> OpenAIResponses:
    return OpenAIResponses(Account("k", service.base_url, "m-1"))


async def asked(provider: OpenAIResponses, items: Sequence[Item]) -> list[Item]:
    """The conversation with one more step, and an answer to each of its calls."""
    _, ended = await step_of(provider, Ask("", items, TOOLS))
    results = [ResultItem(call_id=call.id or "", name=call.name, ok=True, body={"ok": True}) for call in ended.calls]
    return [*items, ended.item, *results]


def thoughts_in(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [item for item in body["input"] if item.get("type") == "reasoning"]


async def test_a_conversation_goes_on_with_a_service_that_has_never_seen_it() -> None:
    async with OpenAIResponsesStandin([Calls(Call("look"))], thinks=True) as first:
        provider = provider_of(first)
        items = await asked(provider, HELLO)
        await provider.close()
    async with OpenAIResponsesStandin([Say("Done.")], thinks=True) as second:
        provider = provider_of(second)
        await asked(provider, items)
        await provider.close()
    assert (first.refused, second.refused) == ([], [])
    assert [body["store"] for body in (*first.requests, *second.requests)] == [False, False]
    assert thoughts_in(second.requests[0])[0]["encrypted_content"], "it is sent whole"


async def test_another_account_cannot_read_the_thoughts_and_is_told_the_rest() -> None:
    async with OpenAIResponsesStandin([Calls(Call("look"))], thinks=True, account="a") as first:
        provider = provider_of(first)
        items = await asked(provider, HELLO)
        await provider.close()
    script = [Calls(Call("look")), Say("Done.")]
    async with OpenAIResponsesStandin(script, thinks=True, account="b") as second:
        provider = provider_of(second)
        items = await asked(provider, items)
        await asked(provider, items)
        await provider.close()
    assert [refusal.code for refusal in second.refused] == ["invalid_encrypted_content"], "it is asked only once"
    assert [len(thoughts_in(body)) for body in second.requests] == [1, 0, 1], "its own thoughts go back to it"
    kinds = [item.get("type", "message") for item in second.requests[1]["input"]]
    assert kinds == ["message", "function_call", "function_call_output"]


async def test_a_model_without_thoughts_is_not_asked_for_them_again() -> None:
    async with OpenAIResponsesStandin([Calls(Call("look")), Say("Done.")], encrypts=False) as service:
        provider = provider_of(service)
        await asked(provider, await asked(provider, HELLO))
        await provider.close()
    assert [body.get("include") for body in service.requests] == [[ENCRYPTED], None, None]
    assert [refusal.param for refusal in service.refused] == ["include"]


async def test_thoughts_that_came_without_their_content_stay_behind() -> None:
    """A server that only speaks like OpenAI may think aloud and know nothing of encrypted content."""
    async with OpenAIResponsesStandin([Calls(Call("look"))], thinks=True, encrypts=False) as service:
        provider = provider_of(service)
        [_, step, _] = await asked(provider, HELLO)
        await provider.close()
    assert isinstance(step, StepItem)
    assert step.parts == ()


async def test_any_other_refusal_is_told_at_once() -> None:
    async with OpenAIResponsesStandin([RateLimited(1)]) as service:
        provider = provider_of(service)
        with pytest.raises(ProviderFault):
            await asked(provider, HELLO)
        await provider.close()
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "invalid_function_parameters", "message": "'required' is required to include every key"}),
        (404, {"code": "model_not_found", "message": "The model `m` does not exist"}),
        (401, {"code": "invalid_api_key", "message": "encrypted content"}),
        (400, {"code": "invalid_encrypted_content", "message": "could not be verified"}),
    ],
)
def test_a_refusal_that_less_would_not_help_is_not_asked_again(status: int, error: dict[str, str]) -> None:
    """Also that of thoughts, where none was sent."""
    body = b'{"error": {"code": "%s", "message": "%s"}}' % (error["code"].encode(), error["message"].encode())
    assert not Thoughts().learn(fault_of_answer("openai-responses", status, {}, body), HELLO)

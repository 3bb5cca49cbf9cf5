"""What goes back to each service, and what its model can see: checked by the strict stand-ins of the services."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import Workshop
from tests.transports.frames import step_of

from ambidex import ErrorType, fail, ok
from ambidex.contracts.response import Meta, ToolResponse
from ambidex.registry.registry import Registry
from ambidex.testing.standins import (
    AnthropicStandin,
    Call,
    Calls,
    GeminiStandin,
    OpenAIChatStandin,
    OpenAIResponsesStandin,
    Say,
    Standin,
)
from ambidex.transports.anthropic import Anthropic
from ambidex.transports.base import Ask
from ambidex.transports.gemini import Gemini
from ambidex.transports.items import Asked, Item, NoteItem, OutcomeItem, ResultItem, StepItem, UserItem
from ambidex.transports.openai_chat import OpenAIChat
from ambidex.transports.openai_responses import OpenAIResponses
from ambidex.transports.provider import Account, HttpProvider
from ambidex.transports.views import body_of

SERVICES: dict[str, tuple[Any, type[Standin]]] = {
    "openai": (OpenAIChat, OpenAIChatStandin),
    "openai-responses": (OpenAIResponses, OpenAIResponsesStandin),
    "gemini": (Gemini, GeminiStandin),
    "anthropic": (Anthropic, AnthropicStandin),
}
each_service = pytest.mark.parametrize("name", SERVICES)


def made(name: str, url: str, **options: Any) -> HttpProvider:
    provider: HttpProvider = SERVICES[name][0](Account("k", url, "m-1"), **options)
    return provider


PARAMETERS = {"type": "object", "properties": {}, "additionalProperties": False, "required": []}
TOOLS: dict[str, dict[str, Any]] = {
    "openai": {"type": "function", "function": {"name": "look", "parameters": PARAMETERS}},
    "openai-responses": {"type": "function", "name": "look", "parameters": PARAMETERS, "strict": True},
    "gemini": {"name": "look", "description": "Looks."},
    "anthropic": {"name": "look", "input_schema": PARAMETERS},
}


def ask(name: str, items: Sequence[Item]) -> Ask:
    return Ask("Be good.", items, [TOOLS[name]])


def result(id: str, tool: str = "look", *, good: bool = True) -> ResultItem:
    body = {"ok": good, "data": {"n": 1}} if good else {"ok": good, "error": {"type": "NOT_FOUND"}}
    return ResultItem(call_id=id, name=tool, ok=good, body=body)


@each_service
@pytest.mark.parametrize("thinks", [False, True])
async def test_a_step_goes_back_unchanged_with_its_thoughts_and_signatures(name: str, thinks: bool) -> None:
    script = [
        Calls(Call("look", {"name": "a"}), Call("look"), text="Hm."),
        Calls(Call("look", {"name": "b"})),
        Say("x"),
    ]
    async with SERVICES[name][1](script, thinks=thinks) as service:
        provider = made(name, service.base_url)
        items: list[Item] = [UserItem(text="hi")]
        for _ in range(2):
            _, ended = await step_of(provider, ask(name, items))
            items += [ended.item, *(result(call.id or "") for call in ended.calls)]
        items += [OutcomeItem(call_id="c", name="send", ok=True, body={}), NoteItem(text="late"), UserItem(text="so?")]
        await step_of(provider, ask(name, items))
        await provider.close()
    assert service.refused == []
    sent = json.dumps(service.requests[-1])
    for item in items:
        for part in item.parts if isinstance(item, StepItem) and name in ("gemini", "openai-responses") else ():
            assert json.dumps(part)[1:-1] in sent


@each_service
@pytest.mark.parametrize("other", [*SERVICES, "offline"])
async def test_a_step_of_another_provider_or_model_is_sent_in_the_neutral_form(name: str, other: str) -> None:
    calls = (
        Asked(id="strange id / with é" * 9, name="look", args='{"name": "a"}'),
        Asked(id="2", name="no such tool!", args='{"cut": '),
        Asked(id="3", name="", args="{}"),
    )
    signed = ({"thoughtSignature": "marker", "type": "thinking", "signature": "marker", "text": "marker"},)
    step = StepItem(provider=other, model="another", text="Wait.", calls=calls, parts=signed)
    items: list[Item] = [UserItem(text="hi"), step, *(result(call.id, call.name, good=False) for call in calls)]
    async with SERVICES[name][1]([Say("Fine.")]) as service:
        provider = made(name, service.base_url)
        await step_of(provider, ask(name, [*items, UserItem(text="and?")]))
        await provider.close()
    assert service.refused == []
    assert "marker" not in json.dumps(service.requests)
    assert "NOT_FOUND" in json.dumps(service.requests)


@pytest.mark.threat("T09")
@each_service
@pytest.mark.parametrize("wrong", ["missing", "twice", "never asked"])
async def test_answers_that_are_missing_repeated_or_unasked_are_mended_before_they_are_sent(
    name: str, wrong: str
) -> None:
    """The services refuse each of them, and their stand-ins too."""
    from ambidex.agents.trimming import whole

    async with SERVICES[name][1]([Calls(Call("look", {"name": "a"})), Say("Fine."), Say("Fine.")]) as service:
        provider = made(name, service.base_url)
        _, ended = await step_of(provider, ask(name, [UserItem(text="hi")]))
        answers = {
            "missing": [],
            "twice": [result(ended.calls[0].id or ""), result(ended.calls[0].id or "")],
            "never asked": [result(ended.calls[0].id or ""), result("another")],
        }[wrong]
        items: list[Item] = [UserItem(text="hi"), ended.item, *answers, UserItem(text="and?")]
        await step_of(provider, ask(name, whole(items)))
        await provider.close()
    assert service.refused == []


@each_service
async def test_the_body_of_an_answer_has_the_shape_that_the_service_wants(name: str) -> None:
    async with SERVICES[name][1]([Calls(Call("look", {"name": "a"}), Call("look")), Say("Fine.")]) as service:
        provider = made(name, service.base_url)
        _, ended = await step_of(provider, ask(name, [UserItem(text="hi")]))
        [first, second] = [call.id or "" for call in ended.calls]
        items: list[Item] = [UserItem(text="hi"), ended.item, result(first), result(second, good=False)]
        await step_of(provider, ask(name, items))
        await provider.close()
    good, bad = '{"ok":true,"data":{"n":1}}', '{"ok":false,"error":{"type":"NOT_FOUND"}}'
    body = service.requests[-1]
    match name:
        case "openai":
            assert [m["content"] for m in body["messages"][-2:]] == [good, bad]
        case "openai-responses":
            assert [item["output"] for item in body["input"][-2:]] == [good, bad]
        case "gemini":
            told = [part["functionResponse"]["response"] for part in body["contents"][-1]["parts"]]
            assert told == [{"output": json.loads(good)}, {"error": json.loads(bad)}]
        case "anthropic":
            told = [(block["content"], block["is_error"]) for block in body["messages"][-1]["content"]]
            assert told == [(good, False), (bad, True)]


# What a model sees of an envelope

META = Meta(
    tool_id="look",
    tool_version="1.0.0",
    registry_version="1.0.x",
    response_schema_version="1.1.0",
    duration=1.0,
    timestamp="2026-01-01T00:00:00.000Z",
    call_id="c1",
    turn=1,
    attempt=1,
)


def envelope(answer: ToolResponse) -> ToolResponse:
    return ToolResponse(
        ok=answer.ok, data=answer.data, error=answer.error, notices=("cut",), intents=answer.intents, meta=META
    )


GOOD = envelope(ok({"n": 1, "secret": "marker"}))
BAD = envelope(fail(ErrorType.NOT_FOUND, "no such record"))
META_SEEN = {
    "toolId": "look",
    "toolVersion": "1.0.0",
    "registryVersion": "1.0.x",
    "responseSchemaVersion": "1.1.0",
    "duration": 1.0,
    "timestamp": "2026-01-01T00:00:00.000Z",
    "callId": "c1",
    "turn": 1,
    "attempt": 1,
}
DATA, NOTICES = {"n": 1, "secret": "[redacted]"}, ["cut"]
ERROR = {"type": "NOT_FOUND", "message": "no such record", "retryable": False, "partialSideEffects": False}
GOLDEN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "full": (
        {"ok": True, "data": DATA, "notices": NOTICES, "meta": META_SEEN},
        {"ok": False, "error": ERROR, "notices": NOTICES, "meta": META_SEEN},
    ),
    "compact": ({"ok": True, "data": DATA, "notices": NOTICES}, {"ok": False, "error": ERROR, "notices": NOTICES}),
    "payload": ({"data": DATA, "notices": NOTICES}, {"error": ERROR, "notices": NOTICES}),
}


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Workshop(tmp_path).reading(redact=["data.secret"]).build()


@pytest.mark.threat("T10")
@each_service
@pytest.mark.parametrize("view", [None, *GOLDEN])
async def test_the_model_sees_the_fields_of_its_view_and_nothing_else(
    name: str, view: str | None, registry: Registry
) -> None:
    provider = made(name, "http://127.0.0.1:1", **({"view": view} if view else {}))
    expected = view or ("payload" if name == "gemini" else "full")
    assert provider.facts.view == expected
    good, bad = GOLDEN[expected]
    assert body_of(GOOD, registry, provider.facts.view) == good
    assert body_of(BAD, registry, provider.facts.view) == bad


@each_service
async def test_what_the_service_must_be_told_is_told(name: str) -> None:
    async with SERVICES[name][1]([Say("x")], key="k") as service:
        provider = made(name, service.base_url)
        await step_of(provider, ask(name, [UserItem(text="hi")]))
        await provider.close()
    assert service.refused == []
    sent = json.dumps(service.requests[0])
    assert "Be good." in sent
    assert "look" in sent
    assert "temperature" not in sent
    if name == "anthropic":
        assert service.headers[0]["anthropic-version"] == "2026-10-21"
        assert service.headers[0]["authorization"] == "Bearer k"

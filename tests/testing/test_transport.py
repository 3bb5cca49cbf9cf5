"""The transport without a wire behaves as a provider's does."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.support.apps import Workshop, error_of, talking

from ambidex.testing import MemoryTransport

TELLING = """\
from ambidex import ok

async def execute(args, context):
    context.progress("half way")
    await context.messaging.send({"type": "hello", "to": args["name"]})
    return ok({})
"""


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).reading().gated().tool("tell", handler=TELLING)


async def test_an_event_with_calls_is_answered_call_by_call_in_the_order_asked(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, _, transport):
        names = ["c", "a", "b"]
        calls = [{"id": name, "name": "look", "args": {"name": name}} for name in names]
        answers = await transport.handle({"calls": calls})
    assert [answer.data for answer in answers] == [{"done": name} for name in names]
    assert [msgspec.json.decode(item)["id"] for item in transport.to_model] == names
    assert transport.envelopes == answers


@pytest.mark.parametrize("event", [{}, {"text": "hello"}, {"calls": []}])
async def test_an_event_without_calls_is_no_call(workshop: Workshop, event: dict[str, object]) -> None:
    async with talking(workshop.build()) as (_, _, transport):
        assert await transport.handle(event) == []
    assert transport.to_model == []


async def test_a_call_without_a_name_is_answered_too(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, _, transport):
        [answer] = await transport.handle({"calls": [{"id": "c1"}]})
    assert error_of(answer) == "NOT_FOUND"


async def test_the_view_decides_what_the_model_is_sent(workshop: Workshop) -> None:
    event = {"calls": [{"id": "c1", "name": "look", "args": '{"name": "ada"}'}]}
    async with talking(workshop.build()) as (_, session, _):
        transport = MemoryTransport(session, view="payload")
        await transport.handle(event)
    assert msgspec.json.decode(transport.to_model[0]) == {
        "id": "c1",
        "name": "look",
        "result": {"data": {"done": "ada"}},
    }


@pytest.mark.parametrize(("stable", "answer"), [(True, "CONFLICT"), (False, "ok")])
async def test_ids_count_where_they_are_declared_stable(workshop: Workshop, stable: bool, answer: str) -> None:
    async with talking(workshop.build()) as (_, session, _):
        transport = MemoryTransport(session, stable_ids=stable)
        await transport.handle({"calls": [{"id": "1", "name": "look", "args": {"name": "ada"}}]})
        [second] = await transport.handle({"calls": [{"id": "1", "name": "look", "args": {"name": "bob"}}]})
    assert error_of(second) == answer


async def test_an_outcome_is_a_new_item_that_names_the_earlier_call(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, session, transport):
        await transport.handle({"calls": [{"id": "c1", "name": "send", "args": {"name": "ada"}}]})
        [request] = await session.confirmations()
        await transport.send_outcome(await session.approve(request.token))
    asked, outcome = [msgspec.json.decode(item) for item in transport.to_model]
    assert asked["id"] == outcome["outcomeOf"] == "c1"
    assert "id" not in outcome
    assert (outcome["name"], outcome["result"]["data"]) == ("send", {"done": "ada"})


async def test_what_a_handler_sends_reaches_the_client(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, _, transport):
        [answer] = await transport.handle({"calls": [{"name": "tell", "args": {"name": "ada"}}]})
    assert answer.ok
    assert {"type": "hello", "to": "ada"} in transport.to_client
    assert {"type": "progress", "tool": "tell", "message": "half way"} in transport.to_client


async def test_a_client_that_is_gone_makes_sending_fail_for_now(workshop: Workshop) -> None:
    async with talking(workshop.build(), mode="voice") as (_, _, transport):
        transport.connected = False
        [answer] = await transport.handle({"calls": [{"name": "tell", "args": {"name": "ada"}}]})
    assert answer.error is not None
    assert (answer.error.type, answer.error.retryable) == ("TRANSIENT", True)
    assert transport.to_client == []

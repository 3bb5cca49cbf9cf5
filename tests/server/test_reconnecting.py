"""Connections that break, to the client or to the provider: nothing is answered, run or told a second time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2 as httpx
import pytest
from tests.scenarios.provider_stage import KEYS, SERVICES, Service, configured
from tests.server.scripted import Scripted, calls
from tests.server.site import Site, deciding, saying, served, told
from tests.support.apps import Workshop
from tests.support.soak import soak

from ambidex import Registry
from ambidex.agents.providers import open_provider
from ambidex.stores.memory import MemoryStore
from ambidex.testing import FakeClock
from ambidex.testing.standins import Call, Calls, Say, Standin

ONE_OF_EACH = ["openai", "openai-responses, thinking", "gemini, without ids", "anthropic, thinking"]


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).reading("look").writing("pay").gated("send")


@asynccontextmanager
async def before(service: Service, standin: Standin, workshop: Workshop, registry: Registry) -> AsyncIterator[Site]:
    """A server of its own in front of this service, on the store of the one before it."""
    config = configured(workshop.root, service.provider, standin.base_url)
    provider = open_provider(config, registry, environ=KEYS)
    try:
        async with served(workshop, provider, store=f"sqlite:{workshop.root / 'kept.db'}") as site:
            yield site
    finally:
        await provider.close()


@pytest.mark.threat("C14", "C13")
@pytest.mark.parametrize("approved", [True, False])
@pytest.mark.parametrize("name", soak(ONE_OF_EACH, list(SERVICES)))
async def test_a_decision_after_everything_was_connected_anew_reaches_the_model_as_a_new_item(
    name: str, approved: bool, workshop: Workshop
) -> None:
    """The stand-ins refuse a second answer to a call, and an answer to a call that the request does not hold."""
    service, registry = SERVICES[name], workshop.build()
    script = [Calls(Call("look", {"name": "rooms"}), Call("send", {"name": "Ann"})), Say("So be it."), Say("Yes.")]
    async with service(script) as standin:
        async with before(service, standin, workshop, registry) as site:
            asked = await site.say("send it to Ann")
            assert [part.state for part in asked.client.parts.values()] == ["output-available", "approval-requested"]
        async with before(service, standin, workshop, registry) as site:
            answer = await site.decide(asked, approved)
            later = await site.say("did it work?")
        assert standin.refused == []
        assert "Outcome of the earlier call" in repr(standin.requests[1])
    assert (answer.text, later.text) == ("So be it.", "Yes.")
    assert len(workshop.runs("send")) == int(approved)
    assert len(workshop.runs("look")) == 1


@pytest.mark.threat("I05")
async def test_the_last_twenty_messages_delivered_again_on_a_new_connection_run_nothing(workshop: Workshop) -> None:
    bodies = [saying(f"pay bill {number}", id=f"u-{number}") for number in range(20)]
    steps = [step for n in range(20) for step in (calls((f"c{n}", "pay", {"name": str(n)})), "Paid.")]
    model = Scripted(*steps)
    async with served(workshop, model) as site:
        for body in bodies:
            assert (await site.post(body)).text == "Paid."
        async with httpx.AsyncClient(base_url=site.url) as anew:
            again = [told(await anew.post("/api/chat", json=body)) for body in bodies]
    assert [answer.status for answer in again] == [409] * 19 + [200]
    assert "answered already" in again[0].body
    assert again[-1].text == "Paid."
    assert len(model.asks) == 40
    assert len(workshop.runs("pay")) == 20


@pytest.mark.threat("I05")
async def test_a_decision_delivered_again_on_a_new_connection_runs_nothing(workshop: Workshop) -> None:
    async with served(workshop, Scripted(calls(("c1", "send", {"name": "Ann"})), "Sent.")) as site:
        asked = await site.say("send it")
        await site.decide(asked, True)
        async with httpx.AsyncClient(base_url=site.url) as site.client:
            again = [await site.decide(asked, True) for _ in range(5)]
    assert {answer.of("tool-output-available")[0]["output"]["done"] for answer in again} == {"Ann"}
    assert len(workshop.runs("send")) == 1


async def test_a_message_whose_answer_never_began_may_be_sent_once_more(workshop: Workshop) -> None:
    """Here it comes with a decision, while the door is closed after too many wrong tokens."""
    clock = FakeClock()
    model = Scripted(calls(("c1", "send", {"name": "Ann"})), "Sent.")
    async with served(workshop, model, store=MemoryStore(clock)) as site:
        asked = await site.say("send it")
        for _ in range(10):
            await site.post(deciding(asked, True, token="guessed"))
        decision, words = deciding(asked, True), saying("and tell me", id="u-1")
        body = {**decision, "messages": decision["messages"] + words["messages"]}
        del body["messageId"]
        closed = await site.post(body)
        clock.advance(301)
        opened = await site.post(body)
    assert closed.status == 429
    assert opened.status == 200
    assert opened.text == "Sent."

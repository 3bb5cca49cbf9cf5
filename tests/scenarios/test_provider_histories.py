"""Whatever a conversation went through, the next request is one that the service takes, and another service too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from tests.scenarios.provider_stage import KEYS, SERVICES, Model, Scripted, configured, stage
from tests.support.apps import ANN, Workshop, running

from ambidex import Registry
from ambidex.agents import events as shown
from ambidex.agents.providers import open_provider
from ambidex.agents.text import TextAgent
from ambidex.testing import FakeClock
from ambidex.testing.standins import Call, Calls, Cut, ErrorMidStream, Filtered, Say, Step, Truncated

ADA = {"name": "Ada"}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("histories")).reading().gated()


@pytest.fixture(scope="module")
def registry(workshop: Workshop) -> Registry:
    return workshop.build()


PASTS: dict[str, Callable[[], Sequence[Step]]] = {
    "an answer without a word": lambda: [Say("")],
    "an answer of white space": lambda: [Say(" \n ")],
    "white space before a call": lambda: [Calls(Call("look", ADA), text=" ")],
    "a name that no tool can have": lambda: [Calls(Call("functions.look up", ADA))],
    "an empty name": lambda: [Calls(Call("", ADA))],
    "a cut call beside a whole one": lambda: [Truncated(Call("look", ADA), Call("look", {"name": "b"}))],
    "words cut by length": lambda: [Truncated(text="so far")],
    "words withheld": lambda: [Filtered("so far")],
    "nothing but a filter": lambda: [Filtered()],
    "an error behind a call": lambda: [ErrorMidStream(Call("look", ADA), text="well")],
    "a cut behind a call": lambda: [Cut(Call("look", ADA), text="well")],
    "the same call in each of three steps": lambda: [Calls(Call("look", ADA))] * 3,
    "a call that waits": lambda: [Calls(Call("send", ADA))],
}


@pytest.mark.parametrize("past", PASTS)
@pytest.mark.parametrize("service", SERVICES)
async def test_a_conversation_goes_on_after_anything(
    workshop: Workshop, registry: Registry, service: str, past: str
) -> None:
    async with stage(SERVICES[service], workshop, registry) as on:
        on.model.do(PASTS[past]())
        await on.say("please")
        on.trace.clear()
        await on.say("again")
        assert on.trace[-1] == "ended: stop"
        assert on.standin.refused == []


@pytest.mark.parametrize("service", ["openai", "openai-responses", "anthropic"])
@pytest.mark.parametrize("arguments", ['{"name": ', "[1]", '"Ada"', "null", '{"name": "Ada"} {}'])
async def test_arguments_that_are_no_object_are_answered_and_can_be_told_again(
    workshop: Workshop, registry: Registry, service: str, arguments: str
) -> None:
    async with stage(SERVICES[service], workshop, registry) as on:
        on.model.do([Calls(Call("look", arguments))])
        await on.say("please")
        assert on.trace == ["look answered VALIDATION", "said 'I read: look VALIDATION'", "ended: stop"]
        assert on.standin.refused == []


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("leaves_at", [shown.CallStarted, shown.CallReady, shown.CallAnswered, shown.StepEnded])
async def test_a_reader_who_leaves_in_the_middle_leaves_no_call_without_an_answer(
    workshop: Workshop, registry: Registry, service: str, leaves_at: type[shown.AgentEvent]
) -> None:
    async with stage(SERVICES[service], workshop, registry) as on:
        on.model.do([Calls(Call("look", ADA), Call("look", {"name": "b"}))])
        events = on.chat.say("please")
        async for event in events:
            if isinstance(event, leaves_at):
                break
        await events.aclose()
        await on.say("again")
        assert on.trace[-1] == "ended: stop"
        assert on.standin.refused == []


@pytest.mark.parametrize("service", SERVICES)
async def test_a_long_conversation_is_shortened_to_one_that_the_service_takes(
    workshop: Workshop, registry: Registry, service: str
) -> None:
    async with stage(SERVICES[service], workshop, registry) as on:
        on.agent.context_tokens = 1000
        for turn in range(12):
            on.model.do([Calls(Call("look", {"name": f"{turn} {'x' * 300}"}), Call("look", ADA), text="One moment.")])
            await on.say(f"turn {turn}: {'please ' * 30}")
            assert on.trace[-1] == "ended: stop"
        assert on.standin.refused == []
        assert "turn 0:" not in str(on.standin.requests[-1]), "the first turn was left out"


USUAL = ["openai", "openai-responses", "gemini", "anthropic"]
PAIRS = [(first, then) for first in SERVICES for then in USUAL if SERVICES[first].provider != then]


@pytest.mark.parametrize(("first", "then"), PAIRS)
async def test_another_provider_goes_on_with_what_one_began(
    workshop: Workshop, registry: Registry, first: str, then: str
) -> None:
    """Calls, refusals, a cut step and one that waits. Servers that speak like OpenAI may give the same ids again."""
    past: list[Step] = [
        Calls(Call("look", ADA, id="c0"), Call("functions.look", ADA, id="c1"), text="One moment."),
        Truncated(Call("look", ADA, id="c2")),
        Calls(Call("send", ADA, id="c3" if first != "openai" else "c0")),
    ]
    async with running(registry, clock=FakeClock()) as app:
        conversation = None
        for name, steps in ((first, past), (then, list[Step]())):
            model = Model()
            model.do(steps)
            async with SERVICES[name](model) as standin:
                config = configured(workshop.root, SERVICES[name].provider, standin.base_url)
                provider = open_provider(config, registry, environ=KEYS)
                agent = TextAgent(app, provider, config)
                chat = await agent.open(ANN, conversation)
                on = Scripted(app=app, agent=agent, clock=FakeClock(), chat=chat, standin=standin, model=model)
                conversation = on.chat.id
                await (on.say("please") if name == first else on.decide(True))
                assert standin.refused == []
                await provider.close()
        assert on.trace[-1] == "ended: stop"
        assert "outcome ok" in on.trace[-2]

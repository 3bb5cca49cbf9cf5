"""One table of conversations over every provider: the wire differs, the decisions do not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest
from tests.scenarios.provider_stage import KEYS, SERVICES, Model, Scripted, Stage, configured, offline_stage, stage
from tests.support.apps import ANN, Workshop, running
from tests.support.folders import GUIDE
from tests.support.soak import soak

from ambidex import Registry
from ambidex.agents.providers import open_provider
from ambidex.agents.text import TextAgent
from ambidex.testing import FakeClock
from ambidex.testing.standins import Call, Calls, Cut, ErrorMidStream, Filtered, RateLimited, Say, ServerError, Step
from ambidex.testing.standins import Truncated as Short

RUNS = 8
"""Of the services as they usually are; their other forms run as often under `make soak`."""
USUAL = ["openai", "openai-responses", "gemini", "anthropic"]
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
STILL = """\
from ambidex import ok

async def execute(args, context):
    return ok({"arguments": len(args)})
"""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    made = Workshop(tmp_path_factory.mktemp("providers"))
    made.reading(guide=_guide("look up Ada"))
    made.gated(guide=_guide("send a letter to Ada"))
    made.reading("vault", guide=_guide("open the vault of Ada"), permissions=["admin"])
    guide = _guide("hold still").replace('{"name": "Ada"}', "{}")
    return made.tool("still", handler=STILL, parameters=NOTHING, guide=guide)


def _guide(phrase: str) -> str:
    """Summaries and phrases are what the offline provider goes by, so each tool has its own."""
    return GUIDE.replace("say hello to Ada", phrase).replace("Greets somebody by name.", f"For: {phrase}.")


@pytest.fixture(scope="module")
def registry(workshop: Workshop) -> Registry:
    return workshop.build()


@dataclass(frozen=True)
class Scenario:
    steps: list[Step]
    """Of the model; after these it tells what it has read."""
    trace: list[str]
    decisions: list[str] = field(default_factory=list)
    after: Callable[[Stage], Awaitable[None]] | None = None
    """What the user does after saying "please"."""
    runs: dict[str, int] = field(default_factory=dict)
    """How often each handler with an effect ran."""


async def approve(on: Stage) -> None:
    await on.decide(True)


async def reject(on: Stage) -> None:
    await on.decide(False)


async def wait_too_long(on: Stage) -> None:
    await on.let_expire()
    await on.say("well?")


async def go_on(on: Stage) -> None:
    await on.say("again")


ADA = {"name": "Ada Lovelace, Zürich 🐈"}
FOUND = f"look answered {{'done': '{ADA['name']}'}}"
LOOKED = ["call_started look", "call_finished look ok"]
ASKED = ["send answered CONFIRMATION_REQUIRED", f"send waits with {ADA}", "ended: approval"]

SCENARIOS = {
    "words": Scenario([Say("Grüße aus Zürich 🐈")], ["said 'Grüße aus Zürich 🐈'", "ended: stop"]),
    "one streamed call": Scenario(
        [Calls(Call("look", ADA), text="One moment.")],
        ["said 'One moment.'", FOUND, "said 'I read: look ok'", "ended: stop"],
        LOOKED,
        runs={"look": 1},
    ),
    "parallel calls": Scenario(
        [Calls(Call("look", ADA), Call("look", {"name": "b"}), Call("still"))],
        [
            FOUND,
            "look answered {'done': 'b'}",
            "still answered {'arguments': 0}",
            "said 'I read: look ok, look ok, still ok'",
            "ended: stop",
        ],
        [
            *("call_started look", "call_started look", "call_started still"),
            *("call_finished look ok", "call_finished look ok", "call_finished still ok"),
        ],
        runs={"look": 2},
    ),
    "two steps": Scenario(
        [Calls(Call("look", ADA)), Calls(Call("look", {"name": "b"}))],
        [FOUND, "look answered {'done': 'b'}", "said 'I read: look ok'", "ended: stop"],
        [*LOOKED, *LOOKED],
        runs={"look": 2},
    ),
    "empty arguments": Scenario(
        [Calls(Call("still"))],
        ["still answered {'arguments': 0}", "said 'I read: still ok'", "ended: stop"],
        ["call_started still", "call_finished still ok"],
    ),
    "truncated arguments": Scenario(
        [Short(Call("look", ADA))],
        ["look answered VALIDATION", "said 'I read: look VALIDATION'", "ended: stop"],
        ["call_refused look arguments_are_json"],
    ),
    "truncated after a whole call": Scenario(
        [Short(Call("look", {"name": "b"}), Call("send", ADA))],
        [
            "look answered VALIDATION",
            "send answered VALIDATION",
            "said 'I read: look VALIDATION, send VALIDATION'",
            "ended: stop",
        ],
        ["call_refused look arguments_are_json", "call_refused send arguments_are_json"],
    ),
    "wrong arguments": Scenario(
        [Calls(Call("look", {"nickname": "b"}))],
        ["look answered VALIDATION", "said 'I read: look VALIDATION'", "ended: stop"],
        ["call_refused look arguments_are_valid"],
    ),
    "unknown tool": Scenario(
        [Calls(Call("look_up", ADA))],
        ["look_up answered NOT_FOUND", "said 'I read: look_up NOT_FOUND'", "ended: stop"],
        ["call_refused look_up tool_is_known"],
    ),
    "refused call": Scenario(
        [Calls(Call("vault", ADA))],
        ["vault answered UNAVAILABLE", "said 'I read: vault UNAVAILABLE'", "ended: stop"],
        ["call_refused vault user_holds_the_permissions"],
    ),
    "refused beside a good one": Scenario(
        [Calls(Call("vault", ADA), Call("look", ADA))],
        ["vault answered UNAVAILABLE", FOUND, "said 'I read: vault UNAVAILABLE, look ok'", "ended: stop"],
        ["call_refused vault user_holds_the_permissions", *LOOKED],
        runs={"look": 1},
    ),
    "confirmation approved": Scenario(
        [Calls(Call("send", ADA))],
        [*ASKED, "send approved: ok", "said 'I read: send CONFIRMATION_REQUIRED, outcome ok'", "ended: stop"],
        [
            "confirmation_requested send requiresConfirmation",
            "confirmation_approved send",
            "call_started send",
            "call_finished send ok",
        ],
        approve,
        runs={"send": 1},
    ),
    "confirmation rejected": Scenario(
        [Calls(Call("send", ADA))],
        [
            *ASKED,
            "send not approved: CONFIRMATION_REJECTED",
            "said 'I read: send CONFIRMATION_REQUIRED, outcome CONFIRMATION_REJECTED'",
            "ended: stop",
        ],
        ["confirmation_requested send requiresConfirmation", "confirmation_rejected send"],
        reject,
    ),
    "confirmation expired": Scenario(
        [Calls(Call("send", ADA))],
        [
            *ASKED,
            "send not approved: CONFIRMATION_EXPIRED",
            "said 'I read: send CONFIRMATION_REQUIRED, outcome CONFIRMATION_EXPIRED, well?'",
            "ended: stop",
        ],
        ["confirmation_requested send requiresConfirmation"],
        wait_too_long,
    ),
    "error mid-stream": Scenario(
        [ErrorMidStream(Call("look", ADA), text="One moment.")],
        ["said 'One moment.'", "failed: overloaded", "said 'I read: please, again'", "ended: stop"],
        after=go_on,
    ),
    "connection lost mid-stream": Scenario(
        [Cut(Call("send", ADA), text="One moment.")],
        ["said 'One moment.'", "failed: network", "said 'I read: please, again'", "ended: stop"],
        after=go_on,
    ),
    "rate limit, then fine": Scenario(
        [RateLimited(7), Calls(Call("look", ADA))],
        [FOUND, "said 'I read: look ok'", "ended: stop"],
        LOOKED,
        runs={"look": 1},
    ),
    "rate limit that lasts": Scenario([RateLimited(2)] * 4, ["failed: rate_limit"]),
    "service out of order, then fine": Scenario(
        [ServerError(500), ServerError(503)], ["said 'I read: please'", "ended: stop"]
    ),
    "withheld": Scenario([Filtered("So")], ["said 'So'", "ended: filtered"]),
}


OFFLINE = {
    "words": "thank you",
    "one streamed call": f'look up "{ADA["name"]}"',
    "empty arguments": "hold still",
    "refused call": f'open the vault of "{ADA["name"]}"',
    "confirmation approved": f'send a letter to "{ADA["name"]}"',
    "confirmation rejected": f'send a letter to "{ADA["name"]}"',
    "confirmation expired": f'send a letter to "{ADA["name"]}"',
}
"""What a user says to the offline provider to have the same."""

ONE_CALL = "it makes one call for a message, and then tells what came of it"
NO_WIRE = "nothing is sent, so nothing is cut, lost, limited or withheld on the way"
NEVER_OFFLINE = {
    "parallel calls": ONE_CALL,
    "two steps": ONE_CALL,
    "refused beside a good one": ONE_CALL,
    "unknown tool": "it only knows the tools that it was given",
    "wrong arguments": "it fills in the parameters of the schema, and asks for those that are missing",
    **dict.fromkeys(("truncated arguments", "truncated after a whole call", "withheld"), NO_WIRE),
    **dict.fromkeys(("error mid-stream", "connection lost mid-stream", "service out of order, then fine"), NO_WIRE),
    **dict.fromkeys(("rate limit, then fine", "rate limit that lasts"), NO_WIRE),
}
"""What cannot happen with it, and why."""


async def _check(on: Stage, scenario: Scenario, workshop: Workshop, said: str, *, own_words: bool = False) -> None:
    """One conversation: what is shown, what the audit says was decided, and how often handlers ran."""
    before = {tool: len(workshop.runs(tool)) for tool in ("look", "send", "vault")}
    on.chat, on.trace = await on.agent.open(ANN), []
    await on.say(said)
    if scenario.after is not None:
        await scenario.after(on)
    if own_words:
        assert _without_words(on.trace) == _without_words(scenario.trace)
    else:
        assert on.trace == scenario.trace
    assert await on.decisions() == scenario.decisions
    ran = {tool: len(workshop.runs(tool)) - count for tool, count in before.items()}
    assert {tool: count for tool, count in ran.items() if count} == scenario.runs


def _without_words(trace: list[str]) -> list[str]:
    return [line for line in trace if not line.startswith("said ")]


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("service", SERVICES)
async def test_every_provider_comes_to_the_same_decisions_every_time(
    workshop: Workshop, registry: Registry, service: str, name: str
) -> None:
    scenario = SCENARIOS[name]
    async with stage(SERVICES[service], workshop, registry) as on:
        for _ in range(RUNS if service in USUAL else soak(2, RUNS)):
            on.model.do(scenario.steps)
            await _check(on, scenario, workshop, "please")
        assert on.standin.refused == []


@pytest.mark.parametrize("name", OFFLINE)
async def test_offline_comes_to_the_same_decisions_in_its_own_words(
    workshop: Workshop, registry: Registry, name: str
) -> None:
    scenario = SCENARIOS[name]
    async with offline_stage(registry) as on:
        for _ in range(RUNS):
            await _check(on, scenario, workshop, OFFLINE[name], own_words=True)
            assert any(line.startswith("said ") for line in on.trace), "it always says something"


def test_every_scenario_is_one_for_offline_or_cannot_happen_there() -> None:
    assert SCENARIOS.keys() == OFFLINE.keys() | NEVER_OFFLINE.keys()
    assert not OFFLINE.keys() & NEVER_OFFLINE.keys()


@pytest.mark.parametrize("service", USUAL)
async def test_the_time_to_wait_is_read_the_way_each_provider_tells_it(
    workshop: Workshop, registry: Registry, service: str
) -> None:
    async with stage(SERVICES[service], workshop, registry) as on:
        on.model.do([RateLimited(7)])
        await on.say("please")
        assert len(on.clock.slept) == 1
        assert on.clock.slept[0] >= 7


async def test_changing_the_provider_is_one_line_of_the_configuration(workshop: Workshop, registry: Registry) -> None:
    """Same tools, same store, same conversation: the line is changed, and another provider goes on with it."""
    traces, lines = {}, set()
    async with running(registry, clock=FakeClock()) as app:
        conversation = None
        for name in USUAL:
            model = Model()
            model.do([Calls(Call("look", {"name": name}))])
            async with SERVICES[name](model) as standin:
                config = configured(workshop.root, name, standin.base_url)
                lines.add(workshop.root.joinpath("ambidex.toml").read_text().splitlines()[0])
                provider = open_provider(config, registry, environ=KEYS)
                agent = TextAgent(app, provider, config)
                chat = await agent.open(ANN, conversation)
                on = Scripted(app=app, agent=agent, clock=FakeClock(), chat=chat, standin=standin, model=model)
                conversation = on.chat.id
                await on.say(f"hello {name}")
                traces[name] = on.trace
                assert standin.refused == []
                await provider.close()
    assert traces == {
        name: [f"look answered {{'done': '{name}'}}", "said 'I read: look ok'", "ended: stop"] for name in traces
    }
    assert lines == {f'providers.use = "{name}"' for name in traces}

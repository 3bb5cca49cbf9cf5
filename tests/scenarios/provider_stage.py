"""A text agent before each provider's stand-in, or before none, and what a conversation comes to, to be compared."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.apps import ANN, Workshop, error_of, running
from tests.support.trail import audited

from ambidex import Orchestrator, Registry
from ambidex.agents import events as shown
from ambidex.agents.providers import open_provider
from ambidex.agents.text import Chat, TextAgent
from ambidex.config import Config
from ambidex.testing import FakeClock
from ambidex.testing.standins import (
    AnthropicStandin,
    GeminiStandin,
    Heard,
    OpenAIChatStandin,
    OpenAIResponsesStandin,
    Say,
    Script,
    Standin,
    Step,
)

PROMPTS = Path(__file__).parents[2] / "prompts"
PIECES = (97, 1, 211, 3, 509)
"""Larger than by default: that any cut will do is shown elsewhere, and here are a thousand conversations."""
KEYS = {"OPENAI_API_KEY": "k", "GEMINI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}


@dataclass(frozen=True)
class Service:
    """A provider as the configuration names it, and its stand-in in one of the forms that it comes in."""

    provider: str
    standin: Callable[..., Standin]
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, script: Script) -> Standin:
        return self.standin(script, key="k", pieces=PIECES, **self.options)


SERVICES = {
    "openai": Service("openai", OpenAIChatStandin),
    "openai-responses": Service("openai-responses", OpenAIResponsesStandin),
    "openai-responses, thinking": Service("openai-responses", OpenAIResponsesStandin, {"thinks": True}),
    "gemini": Service("gemini", GeminiStandin),
    "gemini, thinking": Service("gemini", GeminiStandin, {"thinks": True}),
    "gemini, without ids": Service("gemini", GeminiStandin, {"ids": False}),
    "anthropic": Service("anthropic", AnthropicStandin),
    "anthropic, thinking": Service("anthropic", AnthropicStandin, {"thinks": True}),
}


def configured(folder: Path, provider: str, base_url: str) -> Config:
    """The second line is where the stand-in happens to listen; the first is the choice."""
    table = provider.replace("-", "_")
    path = folder / "ambidex.toml"
    path.write_text(
        f'providers.use = "{provider}"\nproviders.{table}.base_url = "{base_url}"\nprompts.directory = "{PROMPTS}"\n'
    )
    return Config.load(path, environ={})


class Model:
    """A scripted model: the steps it is given, and then it tells what it has read, so that the trace shows it."""

    def __init__(self) -> None:
        self._steps: Iterator[Step] = iter(())

    def do(self, steps: Sequence[Step]) -> None:
        self._steps = iter(steps)

    def __call__(self, heard: Heard) -> Step:
        return next(self._steps, None) or Say(_told(heard))


def _told(heard: Heard) -> str:
    """The news in the order it came: the same whatever the provider's shapes and views are."""
    told = []
    for line in heard.news:
        outcome = "of the earlier call" in line.text.partition("\n")[0]
        if line.who == "tool" or outcome:
            found = re.search(r'"type": ?"([A-Z_]+)"', line.text)
            told.append(f"{'outcome' if outcome else line.name} {found.group(1) if found else 'ok'}")
        else:
            told.append(line.text)
    return "I read: " + ", ".join(told)


@dataclass(kw_only=True)
class Stage:
    app: Orchestrator
    agent: TextAgent
    clock: FakeClock
    chat: Chat
    trace: list[str] = field(default_factory=list)
    """What was shown, but for pieces and for what only repeats it."""

    async def say(self, text: str) -> None:
        await self._show(self.chat.say(text))

    async def decide(self, approve: bool) -> None:
        """The user's own channel, and then the model reads what came of it."""
        [request] = await self.chat.confirmations()
        await self.chat.decide(request.token, approve)
        await self._show(self.chat.go_on())

    async def let_expire(self) -> None:
        self.clock.advance(301)

    async def _show(self, events: AsyncGenerator[shown.AgentEvent, None]) -> None:
        words = ""
        async with aclosing(events):
            async for event in events:
                words += event.text if isinstance(event, shown.TextDelta) else ""
                if isinstance(event, shown.CallReady | shown.StepEnded | shown.TurnFailed) and words:
                    self.trace.append(f"said {words!r}")
                    words = ""
                self.trace += _line(event)

    async def decisions(self) -> list[str]:
        """What the audit says of this conversation's calls."""
        lines = [line for line in await audited(self.app) if line.get("conversation") == self.chat.id]
        return [_decision(line) for line in lines if "tool" in line]


@dataclass(kw_only=True)
class Scripted(Stage):
    """Before a stand-in, whose model does as it is told."""

    standin: Standin
    model: Model


def _line(event: shown.AgentEvent) -> list[str]:
    match event:
        case shown.CallAnswered():
            return [f"{event.name} answered {event.answer.data if event.answer.ok else error_of(event.answer)}"]
        case shown.ApprovalWanted():
            return [f"{event.name} waits with {dict(event.args)}"]
        case shown.ApprovalSettled():
            return [f"{event.name} {'approved' if event.approved else 'not approved'}: {error_of(event.answer)}"]
        case shown.TurnEnded():
            return [f"ended: {event.reason}"]
        case shown.TurnFailed():
            return [f"failed: {event.kind}"]
        case _:
            return []


def _decision(line: dict[str, Any]) -> str:
    how = "ok" if line.get("ok") else line.get("error") or line.get("rule") or ""
    return f"{line['event']} {line['tool']} {how}".strip()


@asynccontextmanager
async def stage(service: Service, workshop: Workshop, registry: Registry) -> AsyncIterator[Scripted]:
    model, clock = Model(), FakeClock()
    async with service(model) as standin:
        config = configured(workshop.root, service.provider, standin.base_url)
        async with _talking(config, registry, clock) as (app, agent, chat):
            yield Scripted(app=app, agent=agent, clock=clock, chat=chat, standin=standin, model=model)


@asynccontextmanager
async def offline_stage(registry: Registry) -> AsyncIterator[Stage]:
    """The provider that needs no key has no service to stand in for: it goes by what the user says."""
    given = {"providers.use": "offline", "prompts.directory": str(PROMPTS), "kb.embedder": "none"}
    config, clock = Config.load(environ={}, overrides=given), FakeClock()
    async with _talking(config, registry, clock) as (app, agent, chat):
        yield Stage(app=app, agent=agent, clock=clock, chat=chat)


@asynccontextmanager
async def _talking(
    config: Config, registry: Registry, clock: FakeClock
) -> AsyncIterator[tuple[Orchestrator, TextAgent, Chat]]:
    provider = open_provider(config, registry, environ=KEYS)
    async with running(registry, config=config, clock=clock) as app:
        agent = TextAgent(app, provider, config)
        try:
            yield app, agent, await agent.open(ANN)
        finally:
            await provider.close()

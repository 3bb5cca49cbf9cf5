"""A text agent with a scripted model behind a real connection, and what its turns come to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.apps import ANN, running

from ambidex import Orchestrator, Registry, User
from ambidex.agents import events as shown
from ambidex.agents.events import AgentEvent
from ambidex.agents.text import Chat, TextAgent
from ambidex.config import Config
from ambidex.testing.standins import OpenAIChatStandin, Script
from ambidex.transports.openai_chat import OpenAIChat
from ambidex.transports.provider import Account

QUIET = (shown.TextDelta, shown.CallStarted, shown.CallDelta)


@dataclass
class Stage:
    app: Orchestrator
    agent: TextAgent
    chat: Chat
    model: OpenAIChatStandin

    async def say(self, text: str, **options: Any) -> list[AgentEvent]:
        return [event async for event in self.chat.say(text, **options)]

    async def go_on(self) -> list[AgentEvent]:
        return [event async for event in self.chat.go_on()]

    async def decide(self, approve: bool) -> shown.ApprovalSettled:
        [request] = await self.chat.confirmations()
        return await self.chat.decide(request.token, approve)

    def read(self, request: int = -1) -> list[dict[str, Any]]:
        """The messages of a request, without the system's."""
        messages: list[dict[str, Any]] = self.model.requests[request]["messages"]
        return messages[1:]


@asynccontextmanager
async def staged(
    registry: Registry, prompts: Path, script: Script, *, user: User = ANN, **options: Any
) -> AsyncIterator[Stage]:
    settings = options.pop("settings", {})
    async with OpenAIChatStandin(script) as model, running(registry, **options) as app:
        provider = OpenAIChat(Account("k", model.base_url, "m-1"))
        config = Config.load(overrides={"prompts.directory": str(prompts), **settings}, environ={})
        agent = TextAgent(app, provider, config)
        try:
            yield Stage(app, agent, await agent.open(user), model)
        finally:
            await provider.close()
    assert not model.refused, [refusal.message for refusal in model.refused]


def names(events: Sequence[AgentEvent]) -> list[str]:
    """The events that are no mere pieces, each in a word."""
    return [type(event).__name__ for event in events if not isinstance(event, QUIET)]


def text_of(events: Sequence[AgentEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, shown.TextDelta))


def answers_of(events: Sequence[AgentEvent]) -> list[str]:
    answered = [event.answer for event in events if isinstance(event, shown.CallAnswered)]
    return ["ok" if answer.error is None else str(answer.error.type) for answer in answered]


def end_of(events: Sequence[AgentEvent]) -> str:
    last = events[-1]
    assert isinstance(last, shown.TurnEnded | shown.TurnFailed), last
    return last.reason if isinstance(last, shown.TurnEnded) else f"failed: {last.kind}"

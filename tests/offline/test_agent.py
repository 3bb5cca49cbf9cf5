"""The offline provider in the text agent, with real tools, a real store and a real knowledge base."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import pytest
from tests.support.apps import ANN, Workshop

from ambidex import Orchestrator, Registry, shipped
from ambidex.agents import events as shown
from ambidex.agents.events import AgentEvent
from ambidex.agents.text import Chat, TextAgent
from ambidex.capabilities.kb.capability import knowledge_base
from ambidex.capabilities.kb.record import parse_record
from ambidex.capabilities.kb.sqlite.engine import open_kb
from ambidex.config import Config
from ambidex.offline.provider import OfflineProvider

ADA = {
    "id": "person:ada-okafor",
    "type": "person",
    "title": "Ada Okafor",
    "text": "Ada Okafor founded the studio in 2011. She likes boats.",
}


async def _shown(turn: AsyncGenerator[AgentEvent, None]) -> list[AgentEvent]:
    return [event async for event in turn]


def _text(events: list[AgentEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, shown.TextDelta))


def _config(folder: Path) -> Config:
    given = {
        "prompts.directory": str(shipped.path() / "prompts"),
        "kb.embedder": "none",
        "kb.path": str(folder / "kb.sqlite3"),
    }
    return Config.load(environ={}, overrides=given)


@pytest.fixture
async def chat(registry: Registry, tmp_path: Path) -> AsyncIterator[Chat]:
    """The shipped tools over a knowledge base of one record."""
    config = _config(tmp_path)
    engine = open_kb(tmp_path / "kb.sqlite3")
    with engine.writer() as writer:
        writer.put([parse_record(ADA, default_updated="2026-01-01T00:00:00Z")], origin="ada.md", digest="1")
    engine.close()
    async with Orchestrator(registry, config=config, capabilities={"kb": knowledge_base(config)}) as app:
        yield await TextAgent(app, OfflineProvider(registry, config=config), config).open(ANN)


async def test_a_question_is_searched_and_answered_from_the_record_it_cites(chat: Chat) -> None:
    events = await _shown(chat.say("who founded the studio?"))
    assert [event.name for event in events if isinstance(event, shown.CallReady)] == ["kb_search"]
    assert "Based on person:ada-okafor (Ada Okafor)." in _text(events)
    assert "founded the studio in 2011" in _text(events)
    assert [event.id for event in events if isinstance(event, shown.Cited)] == ["person:ada-okafor"]
    assert events[-1] == shown.TurnEnded("stop")


async def test_a_question_is_remembered_from_one_turn_to_the_next(chat: Chat) -> None:
    assert "Which date and time" in _text(await _shown(chat.say("what time is that in Tokyo")))
    assert "(Asia/Tokyo)" in _text(await _shown(chat.say("2026-03-20T12:00:00Z")))


async def test_the_ladder_ends_in_a_block_that_holds(chat: Chat) -> None:
    await _shown(chat.say("you pathetic moron"))
    events = await _shown(chat.say("you pathetic moron"))
    assert events[-1] == shown.TurnEnded("blocked")
    refused = await _shown(chat.say("who founded the studio?"))
    assert isinstance(refused[-1], shown.TurnFailed)


@pytest.mark.parametrize(("approve", "told"), [(True, "Approved and done: send"), (False, "send was not carried out")])
async def test_a_gated_call_waits_for_the_user_and_its_outcome_is_told(
    tmp_path: Path, approve: bool, told: str
) -> None:
    workshop = Workshop(tmp_path).gated()
    registry, config = workshop.build(), _config(tmp_path)
    async with Orchestrator(registry, config=config) as app:
        chat = await TextAgent(app, OfflineProvider(registry, config=config), config).open(ANN)
        events = await _shown(chat.say("say hello to Ada"))
        assert any(isinstance(event, shown.ApprovalWanted) for event in events)
        [request] = await chat.confirmations()
        await chat.decide(request.token, approve)
        assert told in _text(await _shown(chat.go_on()))
    assert len(workshop.runs("send")) == int(approve)

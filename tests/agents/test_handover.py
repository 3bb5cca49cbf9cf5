"""Tickets from text to voice."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import ANN, BOB, one, running

from ambidex import ErrorType, Refused, ToolError, User, build, load
from ambidex.agents.capabilities import agent_capabilities
from ambidex.agents.handover import TICKETS, VoiceTickets
from ambidex.session.session import Session
from ambidex.stores.memory import MemoryStore
from ambidex.stores.open import open_store
from ambidex.testing import FakeClock, MemoryTransport

TOOL = Path(__file__).parents[2] / "tools" / "start-voice-session"


@asynccontextmanager
async def offering(tmp_path: Path) -> AsyncIterator[tuple[VoiceTickets, Session, MemoryTransport, FakeClock]]:
    clock = FakeClock()
    store = MemoryStore(clock)
    tickets = VoiceTickets(store)
    shutil.copytree(TOOL, tmp_path / "tools" / TOOL.name, ignore=shutil.ignore_patterns("__pycache__"))
    registry = load(build(tmp_path / "tools", tmp_path / "tool_registry.json").path)
    async with running(registry, store=store, capabilities={"voice": tickets}) as app:
        session = await app.open(mode="text", user=ANN)
        transport = MemoryTransport(session)
        await session.begin_turn("let me talk to you")
        yield tickets, session, transport, clock


async def ticket_of(session: Session, transport: MemoryTransport, request: str = "book a room") -> Any:
    answer = await one(session, "start_voice_session", {"pending_request": request})
    assert answer.ok, answer
    return transport.to_client[-1]


@pytest.mark.threat("S05")
async def test_a_ticket_opens_the_conversation_once_and_carries_the_request(tmp_path: Path) -> None:
    async with offering(tmp_path) as (tickets, session, transport, _):
        sent = await ticket_of(session, transport)
        found = await tickets.redeem(ANN, sent["ticket"])
        assert (found.conversation, found.session_id) == (session.conversation, sent["sessionId"])
        assert found.pending_request == "book a room"
        with pytest.raises(Refused) as caught:
            await tickets.redeem(ANN, sent["ticket"])
        assert caught.value.error.type is ErrorType.NOT_FOUND


@pytest.mark.threat("S05")
async def test_another_user_cannot_use_it_nor_use_it_up(tmp_path: Path) -> None:
    async with offering(tmp_path) as (tickets, session, transport, _):
        sent = await ticket_of(session, transport)
        for thief in (BOB, User("ann", tenant="elsewhere")):
            with pytest.raises(Refused):
                await tickets.redeem(thief, sent["ticket"])
        assert (await tickets.redeem(ANN, sent["ticket"])).conversation == session.conversation


@pytest.mark.threat("S05")
@pytest.mark.parametrize(("seconds", "good"), [(59.999, True), (60, False)])
async def test_it_is_good_for_a_minute(tmp_path: Path, seconds: float, good: bool) -> None:
    async with offering(tmp_path) as (tickets, session, transport, clock):
        sent = await ticket_of(session, transport)
        clock.advance(seconds)
        if good:
            assert await tickets.redeem(ANN, sent["ticket"])
        else:
            with pytest.raises(Refused):
                await tickets.redeem(ANN, sent["ticket"])


@pytest.mark.threat("S05")
async def test_a_request_of_501_characters_is_refused_at_both_doors(tmp_path: Path) -> None:
    async with offering(tmp_path) as (tickets, session, _, _):
        answer = await one(session, "start_voice_session", {"pending_request": "x" * 501})
        assert answer.error is not None
        assert answer.error.type is ErrorType.VALIDATION
        with pytest.raises(ToolError):
            await tickets.ticket(session._row, pending_request="x" * 501)


@pytest.mark.threat("S05", "C03")
async def test_the_model_never_sees_a_ticket_and_the_store_only_its_hash(tmp_path: Path) -> None:
    async with offering(tmp_path) as (_, session, transport, _):
        await transport.handle({"calls": [{"id": "c1", "name": "start_voice_session", "args": "{}"}]})
        secret = transport.to_client[-1]["ticket"]
        assert secret.encode() not in b"".join(transport.to_model)
        rows = await session._shared.runner.run(lambda tx: tx.scan(TICKETS))
        assert rows
        assert secret not in repr(rows)


async def test_tickets_that_nobody_used_are_cleared_away(tmp_path: Path) -> None:
    async with offering(tmp_path) as (_, session, transport, clock):
        for number in range(3):
            clock.advance(61)
            await session.begin_turn("again")
            await ticket_of(session, transport, f"request {number}")
        assert len(await session._shared.runner.run(lambda tx: tx.scan(TICKETS))) == 1


async def test_an_agents_process_offers_voice_over_the_store_that_it_shares(tmp_path: Path) -> None:
    store = open_store(f"sqlite:{tmp_path / 'ambidex.db'}")
    shutil.copytree(TOOL, tmp_path / "tools" / TOOL.name, ignore=shutil.ignore_patterns("__pycache__"))
    registry = load(build(tmp_path / "tools", tmp_path / "tool_registry.json").path)
    capabilities = agent_capabilities(store)
    async with running(registry, store=store, capabilities=capabilities) as app:
        session = await app.open(mode="text", user=ANN)
        transport = MemoryTransport(session)
        await session.begin_turn("let me talk to you")
        sent = await ticket_of(session, transport)
        assert (await capabilities["voice"].redeem(ANN, sent["ticket"])).conversation == session.conversation

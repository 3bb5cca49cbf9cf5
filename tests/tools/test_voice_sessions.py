"""start_voice_session and end_voice_session: what goes to the client, what to the model, what to the record."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.tools.calling import run

TICKET = "ticket-5d1f"
TEXT: dict[str, Any] = {"mode": "text", "capabilities": {"voice": {"ticket": {"session_id": "v1", "ticket": TICKET}}}}


@pytest.mark.threat("S05")
async def test_the_ticket_reaches_the_client_and_neither_the_model_nor_the_record() -> None:
    outcome = await run("start-voice-session", {"pending_request": "who leads it?"}, TEXT)
    assert outcome.sent[0]["ticket"] == TICKET
    assert TICKET not in json.dumps(outcome.envelope)
    assert TICKET not in json.dumps(outcome.audit)


async def test_the_request_itself_is_never_recorded() -> None:
    outcome = await run("start-voice-session", {"pending_request": "my private matter"}, TEXT)
    assert outcome.audit == [{"event": "voice_session_start", "hasPendingRequest": True}]


@pytest.mark.threat("S05")
@pytest.mark.parametrize(("length", "ok"), [(500, True), (501, False)])
async def test_a_request_has_at_most_500_characters(length: int, ok: bool) -> None:
    outcome = await run("start-voice-session", {"pending_request": "x" * length}, TEXT)
    assert outcome.envelope["ok"] is ok
    assert bool(outcome.sent) is ok


@pytest.mark.parametrize("request_text", ["", "   ", "\n"])
async def test_a_request_of_nothing_means_just_greet(request_text: str) -> None:
    outcome = await run("start-voice-session", {"pending_request": request_text}, TEXT)
    assert outcome.envelope["data"]["pending_request"] is None
    assert "intents" not in outcome.envelope


async def test_ending_twice_asks_for_the_same() -> None:
    first = await run("end-voice-session", {}, {"mode": "voice"})
    second = await run("end-voice-session", {}, {"mode": "voice"})
    assert first.seen() == second.seen()


async def test_the_end_waits_for_the_current_turn() -> None:
    outcome = await run("end-voice-session", {"reason": "task_done"}, {"mode": "voice"})
    [intent] = outcome.envelope["intents"]
    assert intent.get("after", "current_turn") == "current_turn"

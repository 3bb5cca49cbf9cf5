"""The state controller: to look at and to try intents on, never to set."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.apps import Workshop, one, talking

from ambidex import Intent
from ambidex.contracts.call import Mode
from ambidex.ledger.rows import State
from ambidex.ledger.state import Applied
from ambidex.session.controller import StateController

NAMES = {
    "mode",
    "isActive",
    "pendingEndVoiceSession",
    "shouldSuppressAudio",
    "shouldSuppressTranscript",
    "pendingMessages",
}


@pytest.fixture
def controller() -> StateController:
    return StateController(State(mode=Mode.VOICE))


def test_a_snapshot_has_the_names_of_the_specification(controller: StateController) -> None:
    snapshot = controller.snapshot()
    assert set(snapshot) >= NAMES
    assert all(controller.get(name) == snapshot[name] for name in NAMES)


@pytest.mark.threat("S01")
async def test_neither_a_client_nor_code_can_set_the_mode(workshop: Workshop) -> None:
    async with talking(workshop.reading(allowedModes=["text"]).build(), mode="voice") as (_, session, transport):
        await transport.handle({"mode": "text", "calls": []})
        with pytest.raises(AttributeError):
            session.mode = Mode.TEXT  # type: ignore[misc]
        assert not hasattr(session.state, "set")
        with pytest.raises(TypeError):
            session.state.snapshot()["mode"] = "text"  # type: ignore[index]
        assert session.mode is Mode.VOICE
        refused = (await one(session, "look")).error
        assert refused is not None
        assert refused.type == "MODE_RESTRICTED"


@pytest.mark.threat("S16")
def test_a_snapshot_can_be_changed_at_no_depth(controller: StateController) -> None:
    controller.apply(Intent.SET_PENDING_MESSAGE(message="x"))
    snapshot: Any = controller.snapshot()
    with pytest.raises(TypeError):
        snapshot["isActive"] = False
    with pytest.raises(AttributeError):
        snapshot["pendingMessages"].append("y")
    assert controller.get("pendingMessages") == ("x",)


@pytest.mark.threat("S13")
def test_apply_says_whether_the_state_changed_and_keeps_before_and_after(controller: StateController) -> None:
    assert controller.apply(Intent.END_VOICE_SESSION(after="immediately"))
    assert not controller.apply(Intent.SUPPRESS_AUDIO())
    (first, before, after, applied), (_, same, still, refused) = controller.history
    assert first == Intent.END_VOICE_SESSION(after="immediately")
    assert (before.is_active, after.is_active, applied) == (True, False, Applied.APPLIED)
    assert (same, refused) == (still, Applied.REFUSED)


def test_trying_an_intent_on_a_sessions_state_changes_no_session() -> None:
    state = State(mode=Mode.VOICE)
    StateController(state).apply(Intent.END_VOICE_SESSION())
    assert state == State(mode=Mode.VOICE)

"""Intents: a tool may wish; the state controller decides."""

from __future__ import annotations

from tests.support.apps import Workshop, one, talking

HANG_UP = """\
from ambidex import Intent, ok

async def execute(args, context):
    return ok({}, intents=[Intent.END_VOICE_SESSION(reason="done")])
"""


async def test_a_wish_of_a_result_becomes_state(workshop: Workshop) -> None:
    workshop.tool("hang-up", handler=HANG_UP)
    async with talking(workshop.build(), mode="voice") as (_, session, _):
        await one(session, "hang_up")
        assert session.state.get("pendingEndVoiceSession") == "current_turn"
        assert session.state.get("endReason") == "done"

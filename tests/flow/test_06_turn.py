"""Turn: begins with what the user says, and nothing runs before the first."""

from __future__ import annotations

from tests.support.apps import Workshop, error_of, one, talking


async def test_a_call_before_the_first_turn_is_refused_and_one_in_it_runs(workshop: Workshop) -> None:
    async with talking(workshop.build(), said=None) as (_, session, _):
        assert error_of(await one(session, "look")) == "SESSION_INACTIVE"
        await session.begin_turn("look for x")
        assert error_of(await one(session, "look")) == "ok"
        assert session.turn == 1

"""Session: one connection, one mode, one registry, for as long as it lasts."""

from __future__ import annotations

from tests.support.apps import ANN, Workshop, running


async def test_a_session_has_a_mode_and_a_registry_that_never_change(workshop: Workshop) -> None:
    async with running(workshop.build()) as app:
        session = await app.open(mode="voice", user=ANN)
        again = await app.open(mode="voice", user=ANN, resume=session.resume_token)
        assert (again.id, again.mode, again.epoch) == (session.id, "voice", 2)
        assert again.registry.version == app.registry.version

"""Execute: one effect, however often the same call arrives."""

from __future__ import annotations

import asyncio

from tests.support.apps import Workshop, one, talking


async def test_an_approved_write_runs_once_and_only_by_the_users_token(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, session, _):
        await one(session, "send", {"name": "Ada"}, id="s1")
        assert workshop.runs("send") == []
        [request] = await session.confirmations()
        assert request.preview.startswith("Send to Ada")
        outcomes = await asyncio.gather(*(session.approve(request.token) for _ in range(5)))
    assert {outcome.data["done"] for outcome in outcomes} == {"Ada"}
    assert len(workshop.runs("send")) == 1

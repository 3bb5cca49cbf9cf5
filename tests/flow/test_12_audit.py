"""Audit: every decision leaves a line, and the lines hold together."""

from __future__ import annotations

from tests.support.apps import Workshop, one, talking

from ambidex.audit.log import StoreLog, parsed
from ambidex.audit.verify import verify
from ambidex.stores.open import open_store


async def test_a_call_can_be_followed_in_the_audit(workshop: Workshop) -> None:
    url = f"sqlite:{workshop.root / 'audit.db'}"
    async with talking(workshop.build(), store=url) as (_, session, _):
        await one(session, "look", {"name": "x"}, id="c1")
    store = open_store(url)
    events = [parsed(line).event for line in StoreLog(store).read()]
    assert events == ["session_start", "turn_start", "call_started", "call_finished"]
    assert verify(store=store).ok
    store.close()

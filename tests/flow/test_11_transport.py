"""Transport: the envelope goes out whole, and never with a token in it."""

from __future__ import annotations

import json

from tests.support.apps import Workshop, talking


async def test_the_model_is_sent_the_whole_envelope(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, _, transport):
        await transport.handle({"calls": [{"id": "c1", "name": "look", "args": '{"name": "x"}'}]})
    [sent] = [json.loads(body) for body in transport.to_model]
    assert sent["id"] == "c1"
    assert list(sent["result"]) == ["ok", "data", "meta"]

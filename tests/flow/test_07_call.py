"""Call: whatever a model sends is answered by one envelope."""

from __future__ import annotations

from tests.support.apps import Workshop, call, error_of, talking


async def test_every_call_of_a_message_is_answered_in_the_order_asked(workshop: Workshop) -> None:
    calls = [call("look", id="a"), call("nothing", id="b"), call("look", "{not json", id="c")]
    async with talking(workshop.build()) as (_, session, _):
        answers = await session.answer(calls)
    assert [error_of(answer) for answer in answers] == ["ok", "NOT_FOUND", "VALIDATION"]
    assert [answer.meta and answer.meta.call_id for answer in answers] == ["a", "b", "c"]

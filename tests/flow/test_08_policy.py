"""Policy: code decides, and a refusal says what to do instead."""

from __future__ import annotations

from tests.support.apps import Workshop, error_of, one, talking


async def test_the_third_look_up_of_a_voice_turn_is_refused_with_advice(workshop: Workshop) -> None:
    async with talking(workshop.build(), mode="voice") as (_, session, _):
        answers = [await one(session, "look", {"name": str(number)}, id=str(number)) for number in range(3)]
    assert [error_of(answer) for answer in answers] == ["ok", "ok", "BUDGET_EXCEEDED"]
    assert answers[2].error is not None
    assert "Answer with what you have" in str(answers[2].error.suggestion)

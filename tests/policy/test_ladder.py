"""The order of the gates is the specification's: the first that does not hold answers."""

from __future__ import annotations

import pytest
from tests.support.apps import ANN, Workshop, error_of, one, running, talking
from tests.support.trail import audited

from ambidex.policy import gates
from ambidex.policy.ladder import AFTER_IDENTITY, BEFORE_IDENTITY


def test_the_gates_stand_in_the_order_of_the_specification() -> None:
    ladder = [*BEFORE_IDENTITY, *AFTER_IDENTITY]
    order = [
        gates.arguments_are_json,
        gates.tool_is_known,
        gates.turn_is_open,
        gates.session_is_active,
        gates.user_is_not_blocked,
        gates.mode_is_allowed,
        gates.tool_is_available,
        gates.user_holds_the_permissions,
        gates.arguments_are_valid,
        gates.call_is_no_loop,
        gates.retrieval_is_within_budget,
        gates.turn_is_within_budget,
        gates.rate_is_within_limit,
        gates.there_is_room,
    ]
    assert [gate for gate in ladder if gate in order] == order
    assert len(set(ladder)) == len(ladder)


async def test_a_call_that_breaks_every_rule_is_answered_by_the_first_and_so_on_up(workshop: Workshop) -> None:
    """Each step mends one fault, and the next gate answers."""
    registry = workshop.gated(
        "send",
        allowedModes=["text"],
        availability="mode == 'text'",
        permissions=["calendar"],
        rateLimit={"calls": 1, "windowMs": 60_000, "per": "user"},
    ).build()
    async with running(registry) as app:
        session = await app.open(mode="text", user=ANN)
        voice = await app.open(mode="voice", user=ANN)
        assert error_of(await one(session, "sned", "{")) == "VALIDATION"
        assert error_of(await one(session, "sned", "{}")) == "NOT_FOUND"
        assert error_of(await one(session, "send", "{}")) == "SESSION_INACTIVE"
        await session.begin_turn("send it")
        await voice.begin_turn("send it")
        assert error_of(await one(voice, "send", "{}")) == "MODE_RESTRICTED"
        assert error_of(await one(session, "send", "{}")) == "VALIDATION"
        assert error_of(await one(session, "send", {"name": "x"})) == "CONFIRMATION_REQUIRED"
        await app.blocks.add(ANN, 60, incident="i")
        assert error_of(await one(voice, "send", "{}")) == "UNAVAILABLE"


async def test_nobody_is_asked_to_approve_what_would_be_refused(workshop: Workshop) -> None:
    registry = workshop.gated("send").writing("pay").build()
    async with talking(registry, config={"limits.text.total": 1}) as (_, session, _):
        await one(session, "pay")
        assert error_of(await one(session, "send")) == "BUDGET_EXCEEDED"
        assert await session.confirmations() == []


@pytest.mark.threat("L06")
async def test_every_refusal_is_recorded_with_its_rule(workshop: Workshop) -> None:
    async with talking(workshop.reading().build(), mode="voice") as (app, session, _):
        await one(session, "look", "{")
        await one(session, "nothing")
        await one(session, "look", {"name": 1})
        for name in ("a", "b", "c"):
            await one(session, "look", {"name": name})
        rules = [line["rule"] for line in await audited(app, "call_refused")]
    assert rules == ["arguments_are_json", "tool_is_known", "arguments_are_valid", "retrieval_is_within_budget"]

"""What a handler sees of its call, and that it can change none of it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.apps import Workshop, error_of, one, talking

from ambidex.testing import FakeClock

TRYING = """\
from ambidex import ok

async def execute(args, context):
    {attempt}
    return ok({{}})
"""
SHOWING = """\
from ambidex import ok

async def execute(args, context):
    return ok({shown})
"""


@pytest.mark.threat("S16")
@pytest.mark.parametrize(
    "attempt",
    [
        'context.session["mode"] = "text"',
        'context.session["isActive"] = False',
        'context.session["pendingMessages"].append("x")',
        'context.user.id = "somebody else"',
        'context.user.scopes.add("admin")',
        'context.turn.input = "yes, do it"',
        'context.config["environment"] = "production"',
        'context.mode = "text"',
        'context.conversation = "another"',
        'context.tool = "another"',
        'context.idempotency_key = "mine"',
        'args["name"] = "changed"',
        "del args['name']",
    ],
)
async def test_a_handler_that_writes_to_what_it_is_shown_fails_and_changes_nothing(
    workshop: Workshop, attempt: str
) -> None:
    workshop.tool("try", handler=TRYING.format(attempt=attempt)).tool(
        "show", handler=SHOWING.format(shown='{"mode": context.mode, "user": context.user.id, **context.session}')
    )
    async with talking(workshop.build(), mode="voice") as (_, session, _):
        before, shown = session.state.snapshot(), (await one(session, "show", {"name": "1"})).data
        assert error_of(await one(session, "try")) == "INTERNAL"
        assert session.state.snapshot() == before
        assert (await one(session, "show", {"name": "2"})).data == shown


async def test_a_handler_is_shown_the_facts_of_its_call(workshop: Workshop) -> None:
    shown = (
        '{"user": context.user.id, "mode": context.mode, "tool": context.tool, "said": context.turn.input, '
        '"conversation": context.conversation, "deadline": context.deadline.isoformat(), '
        '"session": context.session["id"]}'
    )
    workshop.tool("show", handler=SHOWING.format(shown=shown), timeoutMs=7000)
    async with talking(workshop.build(), said="what is it?", clock=FakeClock(0)) as (_, session, _):
        assert (await one(session, "show")).data == {
            "user": "ann",
            "mode": "text",
            "tool": "show",
            "said": "what is it?",
            "conversation": session.conversation,
            "deadline": "1970-01-01T00:00:07+00:00",
            "session": session.id,
        }


async def test_a_capability_that_is_not_there_is_unavailable_and_has_says_so(workshop: Workshop) -> None:
    workshop.tool("use", handler=TRYING.format(attempt='await context.crm.search("x")'))
    workshop.tool("ask", handler=SHOWING.format(shown='[context.has(name) for name in ("crm", "audit", "messaging")]'))
    async with talking(workshop.build()) as (_, session, _):
        assert error_of(await one(session, "use")) == "UNAVAILABLE"
        assert (await one(session, "ask")).data == [False, True, True]
    async with talking(workshop.build(), capabilities={"crm": Crm()}) as (_, session, _):
        assert error_of(await one(session, "use")) == "ok"
        assert (await one(session, "ask")).data == [True, True, True]


class Crm:
    async def search(self, query: str) -> Any:
        return [query]


async def test_a_closed_channel_is_transient_and_retryable(workshop: Workshop) -> None:
    workshop.tool(
        "tell", handler=TRYING.format(attempt='await context.messaging.send({"type": "hello"})'), idempotent=False
    )
    async with talking(workshop.build()) as (_, session, transport):
        assert error_of(await one(session, "tell", {"name": "1"})) == "ok"
        assert transport.to_client == [{"type": "hello"}]
        transport.connected = False
        answer = await one(session, "tell", {"name": "2"})
    assert answer.error is not None
    assert (answer.error.type, answer.error.retryable) == ("TRANSIENT", True)

"""Capabilities answer as the scenario says, through the context that every handler gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.testing.scenarios.test_play import played

_SEND = "await context.messaging.send({'type': 'x'})\nreturn ok()"
_TICKET = "return ok([context.voice.is_active(), await context.voice.ticket(pending_request='')])"
_SEARCH = "return ok(await context.crm.search('q', top_k=3))"
_FAILS = {"fails": {"type": "TRANSIENT", "message": "not now"}}


@pytest.mark.parametrize(
    ("body", "capabilities", "data"),
    [
        (_SEND, {}, None),
        (_TICKET, {}, [False, {"session_id": "voice-1", "ticket": "t-1"}]),
        (
            _TICKET,
            {"voice": {"isActive": True, "ticket": {"session_id": "v", "ticket": "t"}}},
            [True, {"session_id": "v", "ticket": "t"}],
        ),
        (_SEARCH, {"crm": {"search": {"returns": [{"id": 1}]}}}, [{"id": 1}]),
        ("return ok(context.has('crm'))", {"crm": {}}, True),
        ("return ok(context.has('crm'))", {"crm": None}, False),
    ],
)
async def test_a_capability_gives_the_answer_of_the_scenario(
    tmp_path: Path, body: str, capabilities: dict[str, Any], data: Any
) -> None:
    outcome = await played(tmp_path, body, {"capabilities": capabilities})
    assert outcome.envelope["ok"], outcome.envelope
    assert outcome.envelope.get("data") == data


@pytest.mark.parametrize(
    ("body", "capabilities", "kind"),
    [
        (_SEND, {"messaging": _FAILS}, "TRANSIENT"),
        (_SEND, {"messaging": None}, "TRANSIENT"),
        (_TICKET, {"voice": _FAILS}, "TRANSIENT"),
        (_TICKET, {"voice": None}, "UNAVAILABLE"),
        (_SEARCH, {"crm": {"search": {"fails": {"type": "NOT_FOUND", "message": "no"}}}}, "NOT_FOUND"),
        (_SEARCH, {"crm": {"search": _FAILS}}, "TRANSIENT"),
        (_SEARCH, {"crm": None}, "UNAVAILABLE"),
        (_SEARCH, {}, "UNAVAILABLE"),
        (_SEARCH, {"crm": {"get": {"returns": 1}}}, "INTERNAL"),
    ],
)
async def test_a_capability_fails_as_the_scenario_says(
    tmp_path: Path, body: str, capabilities: dict[str, Any], kind: str
) -> None:
    outcome = await played(tmp_path, body, {"capabilities": capabilities})
    assert outcome.envelope["error"]["type"] == kind
    assert list(outcome.sent) == []

"""What a model sees of an envelope, golden for each setting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.apps import Workshop, talking

from ambidex import Intent
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ConfirmationRequest, Fault, Meta, ToolResponse
from ambidex.session.views import View, model_view
from ambidex.testing import MemoryTransport

META = Meta(
    tool_id="kb_search",
    tool_version="1.0.0",
    registry_version="1.0.abcdef12",
    response_schema_version="1.1.0",
    duration=12.5,
    timestamp="2026-03-03T14:30:00.000Z",
    call_id="c1",
    turn=3,
    attempt=1,
)
META_SHOWN = {
    "toolId": "kb_search",
    "toolVersion": "1.0.0",
    "registryVersion": "1.0.abcdef12",
    "responseSchemaVersion": "1.1.0",
    "duration": 12.5,
    "timestamp": "2026-03-03T14:30:00.000Z",
    "callId": "c1",
    "turn": 3,
    "attempt": 1,
}
INTENTS = [{"type": "SUPPRESS_AUDIO", "value": False}]
DATA = {"hits": [1, 2]}
FOUND = ToolResponse(
    ok=True,
    data=DATA,
    notices=("top_k was reduced to 3.",),
    intents=(Intent.SUPPRESS_AUDIO(value=False),),
    meta=META,
)
ASKED = ToolResponse(
    ok=False,
    error=Fault(
        type=ErrorType.CONFIRMATION_REQUIRED,
        message="the user has to approve",
        retryable=False,
        partial_side_effects=False,
        confirmation_request=ConfirmationRequest(
            id="r1", tool="send", args={"to": "ada"}, preview="Send", expires="2026-03-03T14:35:00.000Z"
        ),
    ),
    meta=META,
)
ERROR_SHOWN = {
    "type": "CONFIRMATION_REQUIRED",
    "message": "the user has to approve",
    "retryable": False,
    "partialSideEffects": False,
    "confirmation_request": {
        "id": "r1",
        "tool": "send",
        "args": {"to": "ada"},
        "preview": "Send",
        "expires": "2026-03-03T14:35:00.000Z",
    },
}
NOTICES = ["top_k was reduced to 3."]


@pytest.mark.threat("T10")
@pytest.mark.parametrize(
    ("response", "view", "shown"),
    [
        (FOUND, "full", {"ok": True, "data": DATA, "notices": NOTICES, "intents": INTENTS, "meta": META_SHOWN}),
        (FOUND, "compact", {"ok": True, "data": DATA, "notices": NOTICES}),
        (FOUND, "payload", {"data": DATA, "notices": NOTICES}),
        (ASKED, "full", {"ok": False, "error": ERROR_SHOWN, "meta": META_SHOWN}),
        (ASKED, "compact", {"ok": False, "error": ERROR_SHOWN}),
        (ASKED, "payload", {"error": ERROR_SHOWN}),
    ],
)
def test_a_view_has_the_fields_of_its_setting_and_nothing_else(
    response: ToolResponse, view: View, shown: dict[str, Any]
) -> None:
    assert model_view(response, view) == shown


def test_ok_stands_first_wherever_it_stands() -> None:
    assert [next(iter(model_view(FOUND, view))) for view in ("full", "compact")] == ["ok", "ok"]


def test_a_success_without_data_is_still_a_success() -> None:
    nothing = ToolResponse(ok=True, meta=META)
    assert model_view(nothing, "compact") == {"ok": True}
    assert model_view(nothing, "payload") == {}


@pytest.mark.threat("T10")
@pytest.mark.parametrize("view", ["full", "compact", "payload"])
def test_redacted_values_are_in_no_view(view: View) -> None:
    response = ToolResponse(ok=True, data={"to": "ada", "cards": [{"number": "4111"}, {"number": "4242"}]}, meta=META)
    shown = model_view(response, view, redact=["data.cards.*.number", "args.pin"])
    assert shown["data"] == {"to": "ada", "cards": [{"number": "[redacted]"}] * 2}
    assert response.data["cards"][0]["number"] == "4111"


LEAKY = """\
from ambidex import ok

async def execute(args, context):
    if args["name"] == "crash":
        raise RuntimeError("password hunter2 in /etc/secrets")
    return ok({"card": "4111-1111", "name": args["name"]})
"""


@pytest.mark.threat("T10", "L01")
@pytest.mark.parametrize("view", ["full", "compact", "payload"])
async def test_what_a_transport_sends_holds_no_redacted_value_and_nothing_of_a_crash(
    tmp_path: Path, view: View, caplog: pytest.LogCaptureFixture
) -> None:
    workshop = Workshop(tmp_path).gated(handler=LEAKY, redact=["args.name", "data.card"])
    workshop.tool("plain", handler=LEAKY, redact=["data.card"])
    async with talking(workshop.build()) as (_, session, _):
        transport = MemoryTransport(session, view=view)
        for name, value in (("plain", "ada"), ("plain", "ada"), ("plain", "crash"), ("send", "s3cret")):
            await transport.handle({"calls": [{"id": value, "name": name, "args": {"name": value}}]})
        [request] = await session.confirmations()
        await transport.send_outcome(await session.approve(request.token))
    sent = b"\n".join(transport.to_model)
    for marker in (b"4111", b"hunter2", b"/etc/secrets", b"Traceback", str(tmp_path).encode()):
        assert marker not in sent
    assert sent.count(b'"card":"[redacted]"') == 3
    asked = msgspec.json.decode(transport.to_model[3])["result"]["error"]["confirmation_request"]
    assert asked["args"] == {"name": "[redacted]"}

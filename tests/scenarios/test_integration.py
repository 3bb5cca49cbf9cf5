"""Seven conversations, each through the whole of it: build, load, session, gates, handler, envelope, transport."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.apps import ANN, Workshop, error_of, one, running, talking
from tests.support.folders import GUIDE
from tests.support.trail import audited

import ambidex
from ambidex import ToolResponse, shipped
from ambidex.contracts.envelope import envelope_problems
from ambidex.testing import FakeClock, MemoryTransport

CONTACT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "email": {"type": "string", "format": "email"},
        "when": {"type": "string", "format": "date-time"},
        "channel": {"type": "string", "enum": ["mail", "phone"]},
        "address": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "zip": {"type": "string", "minLength": 5}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
    "required": ["email", "when"],
    "additionalProperties": False,
}
GOOD = {"email": "ada@example.org", "when": "2026-03-03T14:30:00Z", "channel": "mail", "address": {"city": "Bern"}}
ECHO = "from ambidex import ok\n\n\nasync def execute(args, context):\n    return ok(dict(args))\n"


def event(name: str, args: Any = None, id: str | None = None) -> dict[str, Any]:
    return {"calls": [{"id": id, "name": name, "args": args if args is not None else {"name": "x"}}]}


# 1. Bad values are refused in words that a model can act on


@pytest.mark.threat("V07")
@pytest.mark.parametrize(
    ("change", "pointer", "rule"),
    [
        ({"email": "not an address"}, "/email", "format"),
        ({"when": "tomorrow at two"}, "/when", "format"),
        ({"when": "2026-03-03T14:30:00"}, "/when", "format"),
        ({"email": None}, "/email", "required"),
        ({"channel": "pigeon"}, "/channel", "enum"),
        ({"address": {"zip": "12345"}}, "/address/city", "required"),
        ({"address": {"city": "Bern", "zip": "1"}}, "/address/zip", "minLength"),
        ({"address": {"city": "Bern", "country": "CH"}}, "/address/country", "additionalProperties"),
    ],
)
async def test_a_bad_value_is_named_with_its_place_and_rule_and_the_mended_call_runs(
    tmp_path: Path, change: dict[str, Any], pointer: str, rule: str
) -> None:
    guide = GUIDE.replace('{"name": "Ada"}', msgspec.json.encode(GOOD).decode())
    workshop = Workshop(tmp_path).tool("contact", parameters=CONTACT, handler=ECHO, guide=guide)
    bad = {name: value for name, value in {**GOOD, **change}.items() if value is not None}
    async with talking(workshop.build()) as (_, _, transport):
        [refused] = await transport.handle(event("contact", bad, "c1"))
        [mended] = await transport.handle(event("contact", GOOD, "c2"))
    assert error_of(refused) == "VALIDATION"
    assert refused.error is not None
    assert refused.error.details is not None
    [error] = refused.error.details["errors"]
    assert (error["pointer"], error["rule"]) == (pointer, rule)
    assert "pigeon" not in refused.error.message
    assert "not an address" not in refused.error.message
    assert not refused.error.retryable
    assert mended.data == GOOD


# 2. Repeats are recognised where the provider sends no ids


@pytest.mark.threat("I03")
async def test_without_ids_a_write_happens_once_a_turn_and_different_questions_are_different(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).writing().reading()
    async with talking(workshop.build()) as (_, session, _):
        transport = MemoryTransport(session, stable_ids=False)
        [first] = await transport.handle(event("pay"))
        [second] = await transport.handle(event("pay"))
        [ada] = await transport.handle(event("look", {"name": "ada"}))
        [bob] = await transport.handle(event("look", {"name": "bob"}))
        await session.begin_turn("and once more")
        [third] = await transport.handle(event("pay"))
    assert [deduplicated(answer) for answer in (first, second, third)] == [False, True, False]
    assert first.data == second.data
    assert len(workshop.runs("pay")) == 2
    assert (ada.data, bob.data) == ({"done": "ada"}, {"done": "bob"})


@pytest.mark.threat("I03")
async def test_without_ids_a_replay_after_a_reconnect_is_recognised_call_by_call(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).reading()
    async with talking(workshop.build()) as (app, session, _):
        transport = MemoryTransport(session, stable_ids=False)
        for _ in range(2):
            await transport.handle(event("look"))
        assert len(workshop.runs("look")) == 2
        session = await app.open(mode="text", user=ANN, resume=session.resume_token)
        transport = MemoryTransport(session, stable_ids=False)
        answers = [(await transport.handle(event("look")))[0] for _ in range(2)]
    assert [deduplicated(answer) for answer in answers] == [True, True]
    assert len(workshop.runs("look")) == 2


def deduplicated(answer: ToolResponse) -> bool:
    assert answer.meta is not None
    return answer.meta.deduplicated


# 3. A confirmation ends: by time, or by being used


@pytest.mark.threat("C06", "C09")
async def test_a_confirmation_expires_and_an_approval_that_is_replayed_runs_nothing(tmp_path: Path) -> None:
    workshop, clock = Workshop(tmp_path).gated(), FakeClock()
    async with talking(workshop.build(), clock=clock) as (_, session, transport):
        [asked] = await transport.handle(event("send", id="c1"))
        [request] = await session.confirmations()
        clock.advance(301)
        assert error_of(await session.approve(request.token)) == "CONFIRMATION_EXPIRED"
        await session.begin_turn("please try again")
        await transport.handle(event("send", id="c2"))
        [request] = await session.confirmations()
        outcomes = [await session.approve(request.token) for _ in range(3)]
        await transport.send_outcome(outcomes[0])
    assert error_of(asked) == "CONFIRMATION_REQUIRED"
    assert [outcome.data for outcome in outcomes] == [{"done": "x"}] * 3
    assert len(workshop.runs("send")) == 1
    told = msgspec.json.decode(transport.to_model[-1])
    assert (told["outcomeOf"], told["result"]["ok"]) == ("c2", True)
    assert "id" not in told


# 4. A tool of one mode is neither declared nor run in the other


@pytest.mark.threat("S02")
@pytest.mark.parametrize(("mode", "mine", "other"), [("voice", "hum", "type"), ("text", "type", "hum")])
async def test_a_tool_of_the_other_mode_is_not_declared_and_not_run(
    tmp_path: Path, mode: str, mine: str, other: str
) -> None:
    workshop = Workshop(tmp_path).tool("hum", allowedModes=["voice"]).tool("type", allowedModes=["text"])
    async with talking(workshop.build(), mode=mode) as (_, session, transport):
        declared = [tool["function"]["name"] for tool in session.registry.provider_schemas("openai", mode=mode)]
        [allowed] = await transport.handle(event(mine))
        [forced] = await transport.handle(event(other))
    assert declared == [mine]
    assert allowed.ok
    assert error_of(forced) == "MODE_RESTRICTED"
    assert forced.error is not None
    assert {"voice": "text", "text": "voice"}[mode] in str(forced.error.suggestion)
    assert workshop.runs(other) == []


# 5. Budgets count over the turn


@pytest.mark.threat("B01")
async def test_the_third_look_up_of_a_voice_turn_fails_and_the_next_turn_has_its_budget_back(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).reading().tool("help")
    async with talking(workshop.build(), mode="voice") as (_, session, transport):
        names = ["ada", "bob", "eve"]
        answers = [(await transport.handle(event("look", {"name": name}, name)))[0] for name in names]
        [other] = await transport.handle(event("help", id="h"))
        await session.begin_turn("go on")
        [again] = await transport.handle(event("look", {"name": "eve"}, "later"))
    assert [error_of(answer) for answer in answers] == ["ok", "ok", "BUDGET_EXCEEDED"]
    assert answers[2].error is not None
    assert not answers[2].error.retryable
    assert not answers[2].error.partial_side_effects
    assert "kb_get" in str(answers[2].error.suggestion)
    assert (error_of(other), error_of(again)) == ("ok", "ok")
    assert len(workshop.runs("look")) == 3


# 6. Intents become facts in one place

WISHING = """\
from ambidex import Intent, ok

async def execute(args, context):
    before = context.session["shouldSuppressAudio"]
    try:
        context.session["shouldSuppressAudio"] = True
    except TypeError:
        refused = True
    after = context.session["shouldSuppressAudio"]
    return ok({"seen": [before, after, refused]}, intents=[Intent.SUPPRESS_AUDIO(value=True)])
"""


@pytest.mark.threat("I13")
async def test_an_intent_changes_the_state_once_through_the_controller_and_nothing_else_does(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).tool("hush", handler=WISHING)
    async with talking(workshop.build(), mode="voice") as (app, session, transport):
        await transport.handle(event("hush", id="c1"))
        [hushed] = transport.envelopes
        assert hushed.data == {"seen": [False, False, True]}
        assert session.state.get("shouldSuppressAudio") is True
        await transport.handle(event("hush", id="c1"))
        [line] = await audited(app, "state_transition")
        assert (line["tool"], line["facts"]["intent"], line["facts"]["outcome"]) == (
            "hush",
            "SUPPRESS_AUDIO",
            "applied",
        )
        assert line["facts"]["should_suppress_audio.before"] is False
        assert line["facts"]["should_suppress_audio.after"] is True
        with pytest.raises(TypeError):
            session.state.snapshot()["isActive"] = False  # type: ignore[index]


async def test_the_shipped_way_to_hang_up_ends_the_session_when_the_turn_is_over(tmp_path: Path) -> None:
    ambidex.build(shipped.path() / "tools", tmp_path / "tool_registry.json")
    registry = ambidex.load(tmp_path / "tool_registry.json")
    async with talking(registry, mode="voice", said="bye") as (_, session, transport):
        args = {"closing_message": "Goodbye!"}
        [bye] = await transport.handle(event("end_voice_session", args, "c1"))
        assert error_of(bye) == "ok", bye.error
        assert session.state.get("isActive")
        assert session.state.get("pendingEndVoiceSession") is not None
        assert transport.to_model


# 7. The whole envelope reaches the transport

EVERYTHING = ["toolId", "toolVersion", "registryVersion", "responseSchemaVersion", "duration", "timestamp", "callId"]


async def test_every_call_of_a_message_gets_one_whole_envelope_in_the_order_asked(tmp_path: Path) -> None:
    top: dict[str, Any] = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "top_k": {"type": "integer", "default": 5, "maximum": 10}},
        "required": ["name"],
        "additionalProperties": False,
    }
    workshop = Workshop(tmp_path).reading(parameters=top, modeLimits={"text": {"top_k": {"maximum": 3}}})
    workshop.gated().writing().tool("bug", handler="async def execute(args, context):\n    return 7\n")
    asked = [
        ("look", {"name": "a"}, "ok"),
        ("look", {"name": "a", "top_k": 99}, "VALIDATION"),
        ("send", {"name": "a"}, "CONFIRMATION_REQUIRED"),
        ("lock", {"name": "a"}, "NOT_FOUND"),
        ("pay", {"name": "a"}, "ok"),
        ("bug", {"name": "a"}, "INTERNAL"),
        ("pay", "{not json", "VALIDATION"),
    ]
    calls = [{"id": f"c{place}", "name": name, "args": args} for place, (name, args, _) in enumerate(asked)]
    async with talking(workshop.build()) as (_, session, transport):
        answers = await transport.handle({"calls": calls})
    assert [error_of(answer) for answer in answers] == [expected for _, _, expected in asked]
    sent = [msgspec.json.decode(item) for item in transport.to_model]
    assert [item["id"] for item in sent] == [call["id"] for call in calls]
    for item in sent:
        assert envelope_problems(item["result"]) == []
        assert next(iter(item["result"])) == "ok"
        assert [name for name in EVERYTHING if name not in item["result"]["meta"]] == []
        assert item["result"]["meta"]["registryVersion"] == session.registry.version
        assert item["result"]["meta"]["callId"] == item["id"]
    assert sent[0]["result"]["meta"]["clamped"] == {"top_k": {"from": 5, "to": 3}}
    assert sent[0]["result"]["notices"]
    assert sent[3]["result"]["error"]["suggestion"] == "Did you mean look?"


async def test_answer_json_is_the_same_envelope_as_bytes_with_ok_first(tmp_path: Path) -> None:
    async with talking(Workshop(tmp_path).reading().build()) as (_, session, _):
        raw = await session.answer_json("look", b'{"name": "ada"}', id="c1")
        refused = await session.answer_json("look", b"{", id="c2")
    assert raw.startswith(b'{"ok":true,"data":{"done":"ada"},"meta":{')
    assert refused.startswith(b'{"ok":false,"error":{"type":"VALIDATION"')
    assert envelope_problems(msgspec.json.decode(raw)) == envelope_problems(msgspec.json.decode(refused)) == []


async def test_before_the_first_turn_a_call_is_answered_and_not_run(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).reading()
    async with running(workshop.build()) as app:
        session = await app.open(mode="text", user=ANN)
        assert error_of(await one(session, "look")) == "SESSION_INACTIVE"
    assert workshop.runs("look") == []

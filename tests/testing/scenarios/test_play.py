"""What a scenario gives is really so when the handler runs, and what the handler does is really seen."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.folders import write_tool

from ambidex.testing.scenarios import Outcome, Scenario, ScenarioError, play, staged


async def played(tmp_path: Path, body: str, given: dict[str, Any], *, above: str = "", **changes: Any) -> Outcome:
    """One call of a tool whose handler has this body, below what stands above it."""
    folder = probe(tmp_path, body, above=above, **changes)
    with staged(folder) as stage:
        return await play(stage, scenario(folder, given))


def probe(tmp_path: Path, body: str, *, above: str = "", **changes: Any) -> Path:
    lines = "\n    ".join(body.splitlines())
    imports = "from ambidex import Intent, ok"
    handler = f"{imports}\n{above}\n\n\nasync def execute(args, context):\n    {lines}\n"
    return write_tool(tmp_path / "tools", "probe", handler=handler, **changes)


def scenario(folder: Path, given: dict[str, Any]) -> Scenario:
    return Scenario(folder, "", {"mode": "text", **given}, {"name": "Ada"}, {"ok": True})


async def test_mode_user_turn_and_configuration_are_those_given(tmp_path: Path) -> None:
    body = (
        "return ok([context.mode, context.user.id, context.user.tenant, sorted(context.user.scopes), "
        "context.turn.input, context.config['timezone'], context.config['region']])"
    )
    user = {"id": "ann", "tenant": "acme", "scopes": ["a"]}
    given = {"mode": "voice", "user": user, "turn": {"input": "hello"}, "config": {"timezone": "Asia/Tokyo"}}
    outcome = await played(tmp_path, body, given)
    assert outcome.seen()["data"] == ["voice", "ann", "acme", ["a"], "hello", "Asia/Tokyo", "US"]


async def test_the_projects_own_configuration_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ambidex.toml").write_text('timezone = "Asia/Tokyo"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AMBIDEX_REGION", "DE")
    outcome = await played(tmp_path, "return ok([context.config['timezone'], context.config['region']])", {})
    assert outcome.seen()["data"] == ["UTC", "US"]


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"config": {"timezon": "UTC"}}, "/given/config"),
        ({"now": "2016-12-31T23:59:60Z"}, "/given/now"),
    ],
)
async def test_a_world_that_cannot_be_is_the_scenarios_fault(
    tmp_path: Path, given: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        await played(tmp_path, "return ok()", given)
    assert caught.value.pointer == pointer


@pytest.mark.parametrize(("user", "ok"), [({}, True), ({"scopes": []}, False)])
async def test_the_user_may_call_the_tool_unless_the_scenario_says_otherwise(
    tmp_path: Path, user: dict[str, Any], ok: bool
) -> None:
    outcome = await played(tmp_path, "return ok()", {"user": user}, permissions=["notes:read"])
    assert outcome.envelope["ok"] is ok


async def test_the_clock_stands_at_now_for_the_session_and_for_the_handlers_own(tmp_path: Path) -> None:
    body = "return ok([_now().isoformat(), context.deadline.isoformat()])"
    above = "\n\ndef _now():\n    raise AssertionError"
    outcome = await played(tmp_path, body, {"now": "2031-05-06T07:08:09+02:00"}, above=above, timeoutMs=5000)
    assert outcome.seen()["data"] == ["2031-05-06T07:08:09+02:00", "2031-05-06T05:08:14+00:00"]
    assert outcome.envelope["meta"]["timestamp"] == "2031-05-06T05:08:09.000Z"


async def test_the_state_is_that_of_a_session_to_which_it_happened(tmp_path: Path) -> None:
    given = {"mode": "voice", "state": {"shouldSuppressAudio": True, "pendingMessages": ["x"]}}
    body = "return ok([context.session['shouldSuppressAudio'], list(context.session['pendingMessages'])])"
    assert (await played(tmp_path, body, given)).seen()["data"] == [True, ["x"]]


async def test_a_session_that_has_ended_is_refused_by_the_pipeline_itself(tmp_path: Path) -> None:
    outcome = await played(tmp_path, "return ok()", {"state": {"isActive": False}})
    assert outcome.envelope["error"]["type"] == "SESSION_INACTIVE"


_WRITES: dict[str, Any] = {"sideEffects": "writes", "category": "action", "idempotent": False, "downstream": "natural"}


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({}, "CONFIRMATION_REQUIRED"),
        ({"confirmation": "rejected"}, "CONFIRMATION_REJECTED"),
        ({"confirmation": "approved"}, None),
    ],
)
async def test_a_confirmation_waits_or_is_given_or_is_denied(
    tmp_path: Path, given: dict[str, Any], kind: str | None
) -> None:
    body = "await context.messaging.send({'type': 'done'})\nreturn ok()"
    outcome = await played(tmp_path, body, given, **_WRITES, requiresConfirmation=True)
    assert outcome.envelope.get("error", {}).get("type") == kind
    assert list(outcome.sent) == ([] if kind else [{"type": "done"}])


async def test_a_write_after_text_from_outside_asks_first(tmp_path: Path) -> None:
    trusted = await played(tmp_path / "a", "return ok()", {}, **_WRITES)
    outcome = await played(tmp_path / "b", "return ok()", {"turn": {"untrusted": True}}, **_WRITES)
    assert trusted.envelope["ok"]
    assert outcome.envelope["error"]["type"] == "CONFIRMATION_REQUIRED"


async def test_a_packages_absence_is_felt_in_its_submodules_too_and_passes(tmp_path: Path) -> None:
    import email.mime.text  # noqa: F401 - loaded before, as it may be in any process

    body = "try:\n    from email.mime.text import MIMEText\nexcept ModuleNotFoundError:\n    return ok('absent')"
    before = sys.modules["email.mime.text"]
    outcome = await played(tmp_path, f"{body}\nreturn ok('there')", {"missing": ["email"]})
    assert outcome.seen()["data"] == "absent"
    assert sys.modules["email.mime.text"] is before
    from email.mime.text import MIMEText

    assert MIMEText("x")


async def test_a_handler_that_needs_a_missing_package_at_once_fails_as_it_would_for_a_caller(tmp_path: Path) -> None:
    given = {"missing": ["wave"], "now": "2026-03-02T09:00:00Z"}
    outcome = await played(tmp_path, "return ok(wave.__name__)", given, above="import wave")
    assert not outcome.envelope["ok"]


async def test_each_scenario_finds_a_handler_that_remembers_nothing(tmp_path: Path) -> None:
    folder = probe(tmp_path, "SEEN.append(1)\nreturn ok(len(SEEN))", above="SEEN = []")
    with staged(folder) as stage:
        assert [(await play(stage, scenario(folder, {}))).seen()["data"] for _ in range(2)] == [1, 1]


async def test_what_the_handler_recorded_and_sent_is_seen_in_order(tmp_path: Path) -> None:
    body = (
        "context.audit.log('first', n=1)\n"
        "context.progress('half')\n"
        "await context.messaging.send({'type': 'note'})\n"
        "context.audit.log('second')\n"
        "return ok(intents=[Intent.SET_PENDING_MESSAGE(message='later')])"
    )
    outcome = await played(tmp_path, body, {}, intents=["SET_PENDING_MESSAGE"])
    assert list(outcome.audit) == [{"event": "first", "n": 1}, {"event": "second"}]
    assert [message["type"] for message in outcome.sent] == ["note", "progress"]
    assert outcome.seen()["intents"] == [{"type": "SET_PENDING_MESSAGE", "message": "later"}]


async def test_that_a_call_was_slow_is_not_the_scenarios_matter(tmp_path: Path) -> None:
    body = "end = time.perf_counter() + 0.01\nwhile time.perf_counter() < end:\n    pass\nreturn ok()"
    outcome = await played(tmp_path, f"import time\n{body}", {}, latencyBudgetMs=1)
    assert outcome.seen()["notices"] == []
    assert outcome.envelope["meta"]["duration"] > 1


async def test_data_that_breaks_the_tools_contract_does_not_come_back(tmp_path: Path) -> None:
    response = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
    outcome = await played(tmp_path, "return ok({'n': 'one'})", {}, response=response)
    assert not outcome.envelope["ok"]

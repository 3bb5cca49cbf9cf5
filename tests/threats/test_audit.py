"""What is written down of a call: every decision, once, by whom and why; and nothing that a person said."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import ANN, Workshop, call, error_of, one, running, talking
from tests.support.folders import GUIDE

from ambidex import Orchestrator, Registry, ToolCall, User
from ambidex.audit.log import FileLog, StoreLog
from ambidex.audit.verify import verify
from ambidex.ledger.spaces import REFUSED
from ambidex.policy.ladder import AFTER_IDENTITY, BEFORE_IDENTITY
from ambidex.policy.limits import Retention
from ambidex.session.session import Session
from ambidex.testing import FakeClock

Lines = list[dict[str, Any]]


def lines_of(app: Orchestrator) -> Lines:
    return [json.loads(line) for line in StoreLog(app._shared.runner.store).read()]


def everything_in(app: Orchestrator) -> str:
    """Every value of a memory store, in words."""
    shelves = app._shared.runner.store._shelves  # type: ignore[attr-defined]
    return repr({name: dict(shelf) for name, shelf in shelves.items() if not name.startswith("audit")})


# L01: values

SPEAKING = """\
from ambidex import ToolError, fail, ok

async def execute(args, context):
    context.audit.log("looked", count=1)
    if args["name"].startswith("crash"):
        raise KeyError(args["secret"], args["name"])
    if args["name"].startswith("fail"):
        return fail("CONFLICT", "no " + args["secret"], details={"why": args["secret"]})
    if args["name"].startswith("rubbish"):
        return {args["secret"]: args["secret"]}
    if args["name"].startswith("wrong"):
        return ok({"text": 7, "secret": args["secret"]})
    found = {"results": [{"id": args["secret"]}], "records": [{"id": "r1"}]}
    return ok({"text": args["name"], "secret": args["secret"], **found})
"""
SPOKEN = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "secret": {"type": "string"},
        "results": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}},
        "records": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}},
    },
}
TOOL: dict[str, Any] = {
    "handler": SPEAKING,
    "parameters": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "secret": {"type": "string", "maxLength": 40}},
        "required": ["name", "secret"],
        "additionalProperties": False,
    },
    "guide": GUIDE.replace('{"name": "Ada"}', '{"name": "Ada", "secret": "x"}'),
    "response": SPOKEN,
    "redact": ["args.secret", "data.secret", "data.results.*.id"],
}


def secretive(tmp_path: Path) -> Registry:
    return Workshop(tmp_path).reading("look", **TOOL).writing("pay", **TOOL).gated("send", **TOOL).build()


async def speak(session: Session, tool: str, name: str, secret: str = "SECRET") -> str:
    return error_of(await one(session, tool, {"name": f"{name} PRIVATE", "secret": secret}, id=f"{tool}-{name}"))


@pytest.mark.threat("L01")
@pytest.mark.parametrize("tool", ["look", "pay"])
async def test_no_value_reaches_audit_or_log_and_no_redacted_one_stays_in_a_row(
    tmp_path: Path, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with talking(secretive(tmp_path)) as (app, session, _transport):
        outcomes = [await speak(session, tool, name) for name in ("fine", "crash", "fail", "rubbish", "wrong")]
        assert outcomes == ["ok", "INTERNAL", "CONFLICT", "INTERNAL", "INTERNAL"]
        await session.begin_turn("again")
        assert await speak(session, tool, "fine") == "ok"  # a repeat of its id, from the recorded answer
        assert await speak(session, tool, "bad", secret="SECRET" * 20) == "VALIDATION"
        audit, rows = json.dumps(lines_of(app)), everything_in(app)
    assert "looked" in audit
    assert "r1" in audit, "ids of records are told"
    for marker in ("SECRET", "PRIVATE"):
        assert marker not in audit
        assert marker not in caplog.text
    assert "PRIVATE" in rows, "the row has the arguments, for the retention time"
    assert "CONFLICT" in rows
    kept = rows.replace("no SECRET", "").replace('"why":"SECRET"', "")  # what a handler says in its own words
    assert "SECRET" not in kept


@pytest.mark.threat("L01")
@pytest.mark.parametrize("end", ["approve", "reject", "expire"])
async def test_a_request_that_is_settled_keeps_no_redacted_value(
    tmp_path: Path, end: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    clock = FakeClock()
    async with talking(secretive(tmp_path), clock=clock) as (app, session, _transport):
        assert await speak(session, "send", "fine") == "CONFIRMATION_REQUIRED"
        [request] = await session.confirmations()
        assert request.args["secret"] == "SECRET", "the user sees what will run"
        if end == "expire":
            clock.advance(301)
            assert await session.confirmations() == []
        else:
            await (session.approve if end == "approve" else session.reject)(request.token)
        audit, rows = json.dumps(lines_of(app)), everything_in(app)
    assert "SECRET" not in audit + caplog.text
    assert "PRIVATE" not in audit + caplog.text
    assert "SECRET" not in rows


@pytest.mark.threat("L01")
async def test_a_parent_that_passes_on_a_childs_answer_keeps_no_redacted_value_of_it(tmp_path: Path) -> None:
    passing = (
        "async def execute(args, context):\n"
        "    return await context.call_tool('look', {'name': args['name'], 'secret': 'SECRET'})\n"
    )
    secretive(tmp_path)
    registry = Workshop(tmp_path).tool("pass", handler=passing).build()
    async with talking(registry) as (app, session, _transport):
        answer = await one(session, "pass", id="c1")
        assert answer.data["secret"] == "SECRET"
        assert "SECRET" not in everything_in(app)
        assert (await one(session, "pass", id="c1")).data["secret"] == "[redacted]"


# L02: lines

ODD = 'a\nb\r\x1b[31mred\x1b[0m\x00\u2028\u2029\u202e"\\ {"seq":1}'
LOGGING = """\
from ambidex import ok

async def execute(args, context):
    context.audit.log(args["name"], **{args["name"]: args["name"], "number": float("nan"), "object": object()})
    return ok({"results": [{"id": args["name"]}]})
"""


@pytest.mark.threat("L02")
async def test_a_line_is_one_line_of_plain_json_whatever_was_put_into_it(tmp_path: Path) -> None:
    registry = Workshop(tmp_path).reading("look", handler=LOGGING).build()
    user = User(f"ann {ODD}", tenant=f"acme {ODD}")
    store, directory = f"sqlite:{tmp_path / 'calls.db'}", tmp_path / "audit"
    async with running(registry, store=store, audit=directory) as app:
        session = await app.open(mode="text", user=user, conversation=f"talk {ODD}")
        await session.begin_turn(ODD)
        for name in ("look", ODD, f"look{ODD}"):
            await session.answer([ToolCall(name=name, args={"name": ODD.replace("\x00", "")}, id=f"id {name} {ODD}")])
        with_store = app._shared.runner.store
        lines = list(StoreLog(with_store).read())
        await session.close(ODD)
    for line in lines:
        assert json.loads(line)
        assert line.decode().isprintable(), "no terminal obeys it, and it is one line"
    exported = list(FileLog(directory).read())
    assert exported[: len(lines)] == lines
    assert len(exported) == len(lines) + 1
    assert verify(directory).ok


# L04: a full disk

FULL = """\
import asyncio, json, resource, sys
from pathlib import Path
import ambidex
from ambidex import Orchestrator, ToolCall, User

root = Path(sys.argv[1])

async def kind(session, name, number):
    [answer] = await session.answer([ToolCall(name=name, args={"name": str(number)}, id=f"{name}{number}")])
    return "ok" if answer.ok else f"{answer.error.type} {'again' if answer.error.retryable else 'never'}"

async def main():
    told = {}
    registry = ambidex.load(root / "tool_registry.json")
    async with Orchestrator(registry, store=f"sqlite:{root / 'calls.db'}", config={}) as app:
        session = await app.open(mode="text", user=User("ann"))
        await session.begin_turn("please")
        told["before"] = await kind(session, "pay", 1)
        biggest = max(path.stat().st_size for path in root.glob("calls.db*"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (biggest, resource.RLIM_INFINITY))
        told["full"] = [await kind(session, "pay", 2), await kind(session, "send", 2)]
        told["looks"] = await kind(session, "look", 2)
        told["healthy"] = app.healthy
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        told["after"] = await kind(session, "pay", 2)
        told["mended"] = app.healthy
    print(json.dumps(told))

asyncio.run(main())
"""


@pytest.mark.threat("L04", "K06")
def test_a_full_disk_stops_writes_and_leaves_looking_alone(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).reading("look").writing("pay").gated("send")
    shop.build()
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "before": "ok",
        "full": ["TRANSIENT again", "TRANSIENT again"],
        "looks": "ok",
        "healthy": False,
        "after": "ok",
        "mended": True,
    }
    assert len(shop.runs("pay")) == 2, "nothing ran that could not be recorded"


# L05: names in the audit


@pytest.mark.threat("L05")
async def test_made_up_names_are_bounded_in_the_audit(tmp_path: Path) -> None:
    registry = Workshop(tmp_path).reading("look").build()
    async with talking(registry) as (app, session, _transport):
        for number in range(50):
            await one(session, f"made up {number} " * 10_000)
        lines, rows = lines_of(app), everything_in(app)
    assert max(len(line.get("tool", "")) for line in lines) <= 65
    assert len(rows) < 50_000


# L06: decisions

WALKING = """\
from ambidex import ok

async def execute(args, context):
    if args["name"]:
        return await context.call_tool("walk", {"name": args["name"][1:]})
    return ok()
"""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    shop = Workshop(tmp_path_factory.mktemp("decisions"))
    shop.reading("look").writing("pay").gated("send").tool("walk", handler=WALKING)
    shop.reading("spoken", allowedModes=["voice"]).reading("closed", availability="user.id == 'nobody'")
    shop.reading("admin", permissions=["admin"]).reading(
        "rare", rateLimit={"calls": 1, "windowMs": 60_000, "per": "user"}
    )
    return shop.build()


Prepare = Callable[[Orchestrator, Session], Awaitable[Any]]


async def nothing(app: Orchestrator, session: Session) -> None:
    """Nothing has to come before."""


async def close(app: Orchestrator, session: Session) -> None:
    await session.close()


async def block(app: Orchestrator, session: Session) -> None:
    await app.blocks.add(ANN, 60, incident="i1")


async def be_replaced(app: Orchestrator, session: Session) -> None:
    await app.open(mode="text", user=ANN, resume=session.resume_token)


async def fill_the_session(app: Orchestrator, session: Session) -> None:
    app._shared.session_room = 0


async def fill_the_store(app: Orchestrator, session: Session) -> None:
    app._shared.retention = Retention(writes=0)


def made(name: str, *values: str, id: str | None = None) -> Prepare:
    async def prepare(app: Orchestrator, session: Session) -> None:
        for value in values:
            await one(session, name, {"name": value}, id=id)

    return prepare


async def be_taken_back(app: Orchestrator, session: Session) -> None:
    await session.cancel(["c1"])


REFUSALS: dict[str, tuple[Prepare, ToolCall]] = {
    "turn_is_not_used_up": (made("nonsense", *"abcdefghij"), call("look", id="c1")),
    "arguments_are_json": (nothing, call("look", "{", id="c1")),
    "tool_is_known": (nothing, call("lok", id="c1")),
    "session_is_active": (close, call("look", id="c1")),
    "user_is_not_blocked": (block, call("look", id="c1")),
    "mode_is_allowed": (nothing, call("spoken", id="c1")),
    "tool_is_available": (nothing, call("closed", id="c1")),
    "user_holds_the_permissions": (nothing, call("admin", id="c1")),
    "arguments_are_valid": (nothing, call("look", {"name": 7}, id="c1")),
    "id_is_not_reused": (made("look", "x", id="c1"), call("look", {"name": "y"}, id="c1")),
    "call_is_still_wanted": (be_taken_back, call("look", id="c1")),
    "call_is_no_loop": (made("look", "x", "x"), call("look", id="c1")),
    "retrieval_is_within_budget": (made("look", *"abcde"), call("look", id="c1")),
    "turn_is_within_budget": (made("pay", *"abcdefgh"), call("pay", id="c1")),
    "rate_is_within_limit": (made("rare", "a"), call("rare", id="c1")),
    "there_is_room": (fill_the_session, call("look", id="c1")),
    "store_has_room": (fill_the_store, call("pay", id="c1")),
    "requests_are_few": (made("send", *"abc"), call("send", id="c1")),
    "session_is_current": (be_replaced, call("look", id="c1")),
}
ELSEWHERE = {"turn_is_open", "call_is_not_too_deep"}
"""Rules with a test of their own below."""


def test_the_matrix_has_every_gate_of_the_ladder() -> None:
    gates = {gate.__name__ for gate in (*BEFORE_IDENTITY, *AFTER_IDENTITY)}
    assert gates <= REFUSALS.keys() | ELSEWHERE


def is_complete(line: dict[str, Any], session: Session, tool: str) -> bool:
    """Who, what, under which registry, in which turn."""
    wanted = {
        "tenant": "default",
        "user": "ann",
        "session": session.id,
        "conversation": session.conversation,
        "mode": "text",
        "tool": tool,
        "registryVersion": session.registry.version,
        "turn": session.turn,
    }
    return {name: line.get(name) for name in wanted} == wanted and len(line["argsHash"]) == 64


@pytest.mark.threat("L06")
@pytest.mark.parametrize("rule", REFUSALS)
async def test_a_refusal_leaves_exactly_one_record_with_its_rule(registry: Registry, rule: str) -> None:
    prepare, asked = REFUSALS[rule]
    async with talking(registry) as (app, session, _transport):
        await prepare(app, session)
        before = len(lines_of(app))
        [answer] = await session.answer([asked])
        new = lines_of(app)[before:]
        rows = app._shared.runner.store.run(lambda tx: tx.scan(REFUSED))
    [line] = new
    assert (line["event"], line["rule"], line["ok"]) == ("call_refused", rule, False)
    assert line["errorType"] == error_of(answer)
    assert line["callId"] == "c1"
    assert is_complete(line, session, asked.name)
    if rule not in ("turn_is_not_used_up", "session_is_current"):
        assert line["key"] in [row.key for _, row in rows], "the key leads to the row that is kept for replay"


@pytest.mark.threat("L06")
async def test_a_call_before_the_first_turn_leaves_a_record(registry: Registry) -> None:
    async with talking(registry, said=None) as (app, session, _transport):
        assert error_of(await one(session, "look")) == "SESSION_INACTIVE"
        assert [line["rule"] for line in lines_of(app) if line["event"] == "call_refused"] == ["turn_is_open"]


@pytest.mark.threat("L06", "H10")
async def test_a_chain_of_tools_leaves_a_record_of_each_link_and_of_where_it_broke(registry: Registry) -> None:
    async with talking(registry) as (app, session, _transport):
        assert error_of(await one(session, "walk", {"name": "abc"}, id="c1")) == "LOOP_DETECTED"
        lines = [line for line in lines_of(app) if line["event"].startswith("call_")]
    started = [line for line in lines if line["event"] == "call_started"]
    finished = [line for line in lines if line["event"] == "call_finished"]
    [refused] = [line for line in lines if line["event"] == "call_refused"]
    assert refused["rule"] == "call_is_not_too_deep"
    assert len(started) == len(finished) == 3
    assert {line["key"] for line in started} == {line["key"] for line in finished}
    assert [line.get("parent", "") for line in started][:2] == ["", "c1"]
    assert refused["parent"] == started[2]["key"]


async def events_after(app: Orchestrator, work: Awaitable[Any]) -> list[tuple[str, str]]:
    """Each new record, but for those about turns: what it tells of, and the rule."""
    before = len(lines_of(app))
    await work
    new = lines_of(app)[before:]
    return [(line["event"], line.get("rule", "")) for line in new if not line["event"].startswith("turn_")]


@pytest.mark.threat("L06")
async def test_a_call_that_runs_leaves_its_start_and_its_end_and_each_repeat_one_record(registry: Registry) -> None:
    async with talking(registry) as (app, session, _transport):
        ran = await events_after(app, one(session, "pay", id="c1"))
        same_id = await events_after(app, one(session, "pay", id="c1"))
        same_write = await events_after(app, one(session, "pay", id="c2"))
        [started, finished, first, second] = [line for line in lines_of(app) if line["event"].startswith("call_")]
    assert ran == [("call_started", ""), ("call_finished", "")]
    assert same_id == same_write == [("call_duplicate", "")]
    assert started["key"] == finished["key"] == first["key"] == second["key"]
    assert (first["callId"], second["callId"]) == ("c1", "c2")
    assert finished["ok"] is True
    for line in (started, finished, first, second):
        assert is_complete(line, session, "pay")


@pytest.mark.threat("L06")
async def test_every_step_of_a_confirmation_leaves_one_record(registry: Registry) -> None:
    async with talking(registry) as (app, session, _transport):
        asked = await events_after(app, one(session, "send", id="c1"))
        again = await events_after(app, one(session, "send", id="c2"))
        [request] = await session.confirmations()
        wrong = await events_after(app, session.approve("wrong"))
        approved = await events_after(app, session.approve(request.token))
        repeated = await events_after(app, session.approve(request.token))
        too_late = await events_after(app, session.reject(request.token))
        confirming = [line for line in lines_of(app) if line.get("key") == request.id]
    assert asked == [("confirmation_requested", "requiresConfirmation")]
    assert again == [("call_duplicate", "requiresConfirmation")]
    assert wrong == [("confirmation_wrong_token", "")]
    assert approved == [("confirmation_approved", ""), ("call_started", ""), ("call_finished", "")]
    assert repeated == [("call_duplicate", "")]
    assert too_late == [("call_refused", "request_is_pending")]
    assert [line["event"] for line in confirming] == [
        "confirmation_requested",
        "call_duplicate",
        "confirmation_approved",
        "call_duplicate",
        "call_refused",
    ]
    for line in confirming:
        assert (line["user"], line["tool"], line["registryVersion"]) == ("ann", "send", registry.version)


@pytest.mark.threat("L06")
async def test_rejection_expiry_and_a_changed_world_leave_one_record_each(registry: Registry) -> None:
    clock = FakeClock()
    async with talking(registry, clock=clock) as (app, session, _transport):
        for name in "abc":
            await one(session, "send", {"name": name})
        first, second, third = await session.confirmations()
        rejected = await events_after(app, session.reject(first.token))
        repeated = await events_after(app, session.reject(first.token))
        against = await events_after(app, session.approve(first.token))
        await app.blocks.add(ANN, 60, incident="i1")
        blocked = await events_after(app, session.approve(second.token))
        clock.advance(301)
        late = await events_after(app, session.approve(third.token))
    assert rejected == [("confirmation_rejected", "")]
    assert repeated == [("call_duplicate", "")]
    assert against == [("call_refused", "request_is_pending")]
    assert blocked == [("call_refused", "world_is_unchanged")]
    assert late == [("confirmation_expired", "")]

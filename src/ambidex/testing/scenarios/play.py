"""A scenario, played: a session, a turn and a call through the whole pipeline, on a clock that stands still."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from ambidex.audit.events import EventKind
from ambidex.audit.line import Line, decode
from ambidex.audit.log import StoreLog
from ambidex.config.config import Config
from ambidex.contracts.call import ToolCall
from ambidex.contracts.response import ToolResponse
from ambidex.contracts.user import User
from ambidex.errors import ConfigError, HandlerError
from ambidex.ledger.finish import LOOK_UP_SLOW, TOOL_SLOW, TURN_SLOW
from ambidex.ledger.rows import State
from ambidex.ledger.spaces import SESSIONS, TURNS, below, scope_of
from ambidex.orchestrator import Orchestrator
from ambidex.registry.registry import Registry
from ambidex.session.session import Session
from ambidex.stores.base import Store, Tx
from ambidex.stores.memory import MemoryStore
from ambidex.testing.clock import FakeClock
from ambidex.testing.scenarios.capabilities import Client, capabilities_of
from ambidex.testing.scenarios.read import Scenario, ScenarioError
from ambidex.testing.scenarios.stage import Stage
from ambidex.testing.transport import MemoryTransport

DEFAULT_NOW = "2026-03-02T09:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back, as it stands on the wire, and what happened."""

    envelope: Mapping[str, Any]
    sent: Sequence[Mapping[str, Any]] = ()
    audit: Sequence[Mapping[str, Any]] = ()

    def seen(self) -> dict[str, Any]:
        """In the words of `expect`; `data` and `error` only where there is one."""
        envelope = self.envelope
        seen: dict[str, Any] = {"ok": envelope["ok"]}
        seen |= {"data": envelope.get("data")} if envelope["ok"] else {"error": envelope["error"]}
        seen |= {name: envelope.get(name, []) for name in ("intents", "notices")}
        return seen | {"sent": list(self.sent), "audit": list(self.audit)}


async def play(stage: Stage, scenario: Scenario) -> Outcome:
    """What comes of the call; raises `ScenarioError` when the world it is given cannot be."""
    given = scenario.given
    now = _now(scenario)
    store = MemoryStore(FakeClock(round(now.timestamp() * 1000)))
    config = _config(stage, scenario)
    with _without(given.get("missing", ())):
        registry = stage.registry()
        if "now" in given:
            _stop_the_clock(registry, stage.tool, now)
        app = Orchestrator(
            registry, store=store, config=config, capabilities=capabilities_of(given.get("capabilities", {}))
        )
        async with app:
            session = await app.open(mode=given["mode"], user=_user(given.get("user", {}), registry, stage.tool))
            if (given.get("capabilities", {}).get("voice") or {}).get("isActive"):
                await app.open(mode="voice", user=session.user, conversation=session.conversation)
            return await _call(stage.tool, scenario, session, store)


async def _call(tool: str, scenario: Scenario, session: Session, store: Store) -> Outcome:
    client = _client(session, scenario.given.get("capabilities", {}))
    turn = scenario.given.get("turn", {})
    await session.begin_turn(turn.get("input", ""))
    store.run(lambda tx: _arrange(tx, session, scenario.given))
    [answer] = await session.answer([ToolCall(id="call-1", name=tool, args=json.dumps(scenario.call))])
    if decision := scenario.given.get("confirmation"):
        answer = await _decided(session, answer, decision)
    await asyncio.sleep(0)  # what the handler told of its progress is on its way
    return _outcome(answer, client, [decode(line) for line in StoreLog(store).read()])


# The world


def _now(scenario: Scenario) -> datetime:
    try:
        return datetime.fromisoformat(scenario.given.get("now", DEFAULT_NOW))
    except ValueError as error:
        # A leap second is a date-time that no clock of Python's can show.
        raise ScenarioError(scenario.path, "/given/now", str(error)) from None


def _config(stage: Stage, scenario: Scenario) -> Config:
    try:
        return Config.load(stage.config, environ={}, overrides=scenario.given.get("config", {}))
    except ConfigError as error:
        raise ScenarioError(scenario.path, "/given/config", str(error)) from None


def _user(given: Mapping[str, Any], registry: Registry, tool: str) -> User:
    """By default somebody who may call the tool."""
    permissions = registry.metadata(tool).get("permissions", ())
    return User(**{"id": "u1", "scopes": frozenset(permissions), **given})


def _client(session: Session, capabilities: Mapping[str, Any]) -> MemoryTransport:
    client = MemoryTransport(session)
    messaging = capabilities.get("messaging", {})
    if messaging is None:
        session.channel = None
    elif "fails" in messaging:
        session.channel = Client(messaging)
    return client


def _arrange(tx: Tx, session: Session, given: Mapping[str, Any]) -> None:
    """State and turn as they would be after whatever came before this call."""
    row = tx.get(SESSIONS, session.id)
    assert row is not None
    state = msgspec.convert({**msgspec.to_builtins(row.state), **given.get("state", {})}, State)
    tx.put(SESSIONS, session.id, msgspec.structs.replace(row, state=state))
    place = below(scope_of(row.user, row.conversation), row.turn)
    turn = tx.get(TURNS, place)
    assert turn is not None
    untrusted = given.get("turn", {}).get("untrusted", False)
    tx.put(TURNS, place, msgspec.structs.replace(turn, untrusted=untrusted))


@contextmanager
def _without(packages: Sequence[str]) -> Iterator[None]:
    """None in `sys.modules` is how Python itself marks a module that must not be imported."""
    hidden = [name for name in sys.modules if name.partition(".")[0] in packages]
    kept = {name: sys.modules[name] for name in hidden}
    marks: dict[str, Any] = dict.fromkeys([*packages, *hidden])
    sys.modules.update(marks)
    try:
        yield
    finally:
        for name in marks:
            del sys.modules[name]
        sys.modules.update(kept)


def _stop_the_clock(registry: Registry, tool: str, now: datetime) -> None:
    """The handler's own `_now()`, if it has one. One that does not load is the pipeline's to report."""
    try:
        names = registry._tool(tool).execute.__globals__
    except HandlerError:
        return
    if "_now" in names:
        names["_now"] = lambda: now


async def _decided(session: Session, answer: ToolResponse, decision: str) -> ToolResponse:
    """What the user's decision leads to, where there was something to decide."""
    for request in await session.confirmations():
        return await (session.approve if decision == "approved" else session.reject)(request.token)
    return answer


# What came of it


def _outcome(answer: ToolResponse, client: MemoryTransport, lines: list[Line]) -> Outcome:
    envelope: dict[str, Any] = json.loads(msgspec.json.encode(answer))
    # How long a call took depends on the machine; a scenario is about what does not.
    if slow := _slow_notices(lines):
        envelope["notices"] = envelope["notices"][:-slow]
    told = [line for line in lines if line.event is EventKind.TOOL_EVENT]
    audit = [{"event": line.name, **(line.facts or {})} for line in told]
    return Outcome(envelope, client.to_client, audit)


def _slow_notices(lines: list[Line]) -> int:
    """How many of an answer's notices, the last ones, only say that it was slow."""
    ended = [line for line in lines if line.event is EventKind.CALL_FINISHED and not line.parent]
    return len({TOOL_SLOW, LOOK_UP_SLOW, TURN_SLOW} & set(ended[-1].facts or {})) if ended else 0

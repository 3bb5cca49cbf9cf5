"""Calls, repeats, reconnects, turns, decisions, expiry, cancellation, blocks and crashes, in any order.

A small model says what each step must give; what handlers really did is counted beside it. One conversation of one
user, several sessions, real stores. A crash drops the orchestrator as it is and opens a new one on the same store,
with its calls hanging in the middle of their handlers; they may wake up later.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.support.apps import ANN, Workshop, call, error_of
from tests.support.soak import soak

from ambidex import Orchestrator, Refused, Registry, ToolResponse
from ambidex.contracts.call import Mode
from ambidex.contracts.envelope import envelope_problems
from ambidex.policy.limits import DEFAULTS
from ambidex.session.session import Session
from ambidex.stores.base import Store
from ambidex.stores.open import open_store
from ambidex.testing import FakeClock

T = TypeVar("T")
LEASE_SECONDS = 30
"""Longer than any call of these tools may take, grace included."""
EXPIRY_SECONDS = 300
HANDLER = """\
from ambidex import ok

async def execute(args, context):
    await context.world.act(context.tool, args["name"], context.idempotency_key)
    return ok({"done": args["name"]})
"""


@cache
def registry() -> Registry:
    """A read, a write that must not be repeated, one whose far side knows repeats, and one that is asked about."""
    root = Path(tempfile.mkdtemp(prefix="ambidex-soak-"))
    workshop = Workshop(root)
    workshop.reading("look", handler=HANDLER)
    workshop.writing("pay", handler=HANDLER, downstream="none")
    workshop.writing("put", handler=HANDLER, downstream="key")
    workshop.gated("send", handler=HANDLER, downstream="none")
    built = workshop.build()
    for name in ("look", "pay", "put", "send"):
        built._tool(name).execute  # noqa: B018 - loads it, so that the folder can go
    shutil.rmtree(root)
    return built


class World:
    """What handlers did, and where they hang."""

    def __init__(self) -> None:
        self.ran: Counter[tuple[str, str]] = Counter()
        """(tool, name) -> how often its handler had its effect."""
        self.keys: dict[tuple[str, str], set[str]] = {}
        self.hang = ""
        """Where the next handler stops: before its effect, after it, or not at all."""
        self._woken = asyncio.Event()

    async def act(self, tool: str, name: str, key: str) -> None:
        hang, self.hang = self.hang, ""
        if hang == "before":
            await self._woken.wait()
        self.ran[tool, name] += 1
        self.keys.setdefault((tool, name), set()).add(key)
        if hang == "after":
            await self._woken.wait()

    def wake(self) -> None:
        self._woken.set()
        self._woken = asyncio.Event()


@dataclass
class Turn:
    """What the model counts of a turn."""

    mode: Mode
    retrieval: int = 0
    total: int = 0
    refusals: int = 0


@dataclass
class Line:
    """A session as the model knows it."""

    session: Session
    mode: Mode
    token: str
    turn: int = 0
    open: bool = True


@dataclass
class Made:
    """A call that ran to its end, and its answer."""

    line: Line
    epoch: int
    turn: int
    tool: str
    name: str
    id: str
    data: Any


@dataclass
class Waiting:
    """A request for confirmation."""

    name: str
    asked_ms: int
    settled: str = ""
    token: str = ""
    data: Any = None


class Conversation(RuleBasedStateMachine):
    durable = False

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.clock = FakeClock()
        self.folder = Path(tempfile.mkdtemp(prefix="ambidex-soak-"))
        self.stores: list[Store] = []
        self.apps: list[Orchestrator] = []
        self.lines: list[Line] = []
        self.superseded: list[Session] = []
        self.turns: dict[int, Turn] = {}
        self.last_turn = 0
        self.made: list[Made] = []
        self.requests: list[Waiting] = []
        self.guessed: list[int] = []
        self.blocked_until = 0
        self.number = 0
        self.lost: list[Any] = []
        """Answers that nobody hears; held on to, as a task that nobody holds may vanish."""
        self.world = World()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(asyncio.wait_for(work, 20))

    @initialize()
    def start(self) -> None:
        self.boot()
        self.open_one(Mode.TEXT)
        self.begin_turn(0)

    def boot(self) -> None:
        """A new process, as far as the store can tell."""
        if self.durable or not self.stores:
            url = f"sqlite:{self.folder / 'soak.db'}" if self.durable else "memory:"
            self.stores.append(open_store(url, clock=self.clock))
        config = {"confirmation.hourly": 10_000, "limits.voice.turn_ms": 0}
        self.app = Orchestrator(
            registry(), store=self.stores[-1], config=config, capabilities={"world": self.world}, grace_seconds=0
        )
        self.apps.append(self.app)
        self.run(self.app.__aenter__())
        self.run(self.app.recover())

    def teardown(self) -> None:
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        for app in self.apps:  # also those that crashed: their threads would outlive the test
            self.run(app.close())
        self.loop.close()
        shutil.rmtree(self.folder)

    # What the model expects

    @property
    def now(self) -> int:
        return self.clock.moment().mono

    @property
    def blocked(self) -> bool:
        return self.now < self.blocked_until

    def fresh(self) -> str:
        self.number += 1
        return f"n{self.number}"

    def expected(self, line: Line, tool: str) -> str:
        """What a new call must give, as the rules say it."""
        turn = self.turns.get(line.turn)
        if not line.open or turn is None:
            return "SESSION_INACTIVE"
        if self.blocked:
            return "UNAVAILABLE"
        limits = DEFAULTS[line.mode]
        full = turn.total >= limits.total or (tool == "look" and turn.retrieval >= limits.retrieval)
        if turn.refusals >= limits.refusals or full:
            return "BUDGET_EXCEEDED"
        if tool != "send":
            return "ok"
        return "CONFIRMATION_REQUIRED" if len(self.pending()) < 3 else "RATE_LIMIT"

    def pending(self) -> list[Waiting]:
        return [each for each in self.requests if not each.settled and self.now - each.asked_ms < EXPIRY_SECONDS * 1000]

    def count(self, line: Line, tool: str, given: str) -> None:
        turn = self.turns.get(line.turn)
        if turn is None or given == "CONFIRMATION_REQUIRED":
            return
        ran = given == "ok"
        turn.total += ran
        turn.retrieval += ran and tool == "look"
        turn.refusals += not ran

    def ask(self, line: Line, tool: str, name: str, id: str) -> ToolResponse:
        [answer] = self.run(line.session.answer([call(tool, {"name": name}, id)]))
        return self.checked(answer)

    def checked(self, answer: ToolResponse) -> ToolResponse:
        wire = msgspec.json.decode(msgspec.json.encode(answer))
        assert envelope_problems(wire) == [], wire
        assert "token" not in str(wire).lower() or not answer.ok
        return answer

    def line(self, which: int) -> Line:
        return self.lines[which % len(self.lines)]

    def refusal_of(self, work: Coroutine[Any, Any, T]) -> tuple[T | None, str]:
        """What it gave, or the type of its refusal."""
        try:
            return self.run(work), ""
        except Refused as refused:
            return None, str(refused.error.type)

    # Sessions and turns

    @rule(mode=st.sampled_from(list(Mode)))
    def open_one(self, mode: Mode) -> None:
        if len(self.lines) >= 4:
            return
        session, refused = self.refusal_of(self.app.open(mode=mode, user=ANN, conversation="the one"))
        assert refused == ("UNAVAILABLE" if self.blocked else "")
        if session is not None:
            self.lines.append(Line(session, mode, session.resume_token))
            if self.number % 4:
                self.begin_turn(len(self.lines) - 1)

    @rule(which=st.integers(0, 3))
    def begin_turn(self, which: int) -> None:
        line = self.line(which)
        _, refused = self.refusal_of(line.session.begin_turn("and then"))
        assert refused == ("UNAVAILABLE" if self.blocked else "" if line.open else "SESSION_INACTIVE")
        if not refused:
            self.turn_began(line)

    def turn_began(self, line: Line) -> None:
        self.last_turn += 1
        assert line.session.turn == self.last_turn
        line.turn = self.last_turn
        self.turns[line.turn] = Turn(line.mode)

    @rule(which=st.integers(0, 3))
    def reconnect(self, which: int) -> None:
        line = self.line(which)
        session, refused = self.refusal_of(self.app.open(mode=line.mode, user=ANN, resume=line.token))
        assert refused == ("UNAVAILABLE" if self.blocked else "" if line.open else "NOT_FOUND")
        if session is None:
            return
        assert (session.epoch, session.turn) == (line.session.epoch + 1, line.turn)
        self.superseded.append(line.session)
        line.session, line.token = session, session.resume_token

    @precondition(lambda self: self.superseded)
    @rule(which=st.integers(0, 9), tool=st.sampled_from(["look", "pay"]))
    def act_on_an_old_connection(self, which: int, tool: str) -> None:
        session = self.superseded[which % len(self.superseded)]
        [answer] = self.run(session.answer([call(tool, {"name": self.fresh()}, self.fresh())]))
        assert error_of(self.checked(answer)) == "SESSION_INACTIVE"
        with pytest.raises(Refused):
            self.run(session.begin_turn("still here"))

    @precondition(lambda self: sum(line.open for line in self.lines) > 2)
    @rule(which=st.integers(0, 3))
    def close(self, which: int) -> None:
        line = self.line(which)
        self.run(line.session.close())
        line.open = False

    # Calls

    @rule(which=st.integers(0, 3), tools=st.lists(st.sampled_from(["look", "pay", "put"]), min_size=1, max_size=7))
    def call_some(self, which: int, tools: list[str]) -> None:
        for tool in tools:
            self.call_one(self.line(which), tool)

    def call_one(self, line: Line, tool: str) -> None:
        name, id = self.fresh(), self.fresh()
        expected = self.expected(line, tool)
        answer = self.ask(line, tool, name, id)
        assert error_of(answer) == expected
        self.count(line, tool, expected)
        assert self.world.ran[tool, name] == (expected == "ok")
        if expected == "ok":
            assert answer.meta is not None
            assert answer.meta.turn == line.turn
            self.made.append(Made(line, line.session.epoch, line.turn, tool, name, id, answer.data))

    @precondition(lambda self: self.made)
    @rule(which=st.integers(0, 50))
    def repeat(self, which: int) -> None:
        """The same id and arguments, in the same epoch or a later one: the recorded answer, at no cost."""
        made = self.made[which % len(self.made)]
        before = sum(self.world.ran.values())
        answer = self.ask(made.line, made.tool, made.name, made.id)
        assert sum(self.world.ran.values()) == before
        if self.expected(made.line, "pay") in ("SESSION_INACTIVE", "UNAVAILABLE"):
            assert not answer.ok
            self.count(made.line, made.tool, error_of(answer))
            return
        assert answer.data == made.data
        assert answer.meta is not None
        assert answer.meta.deduplicated

    @precondition(lambda self: self.made)
    @rule(which=st.integers(0, 50))
    def reuse_an_id_for_something_else(self, which: int) -> None:
        made = self.made[which % len(self.made)]
        if made.epoch != made.line.session.epoch:
            return
        expected = self.expected(made.line, "send")
        answer = self.ask(made.line, made.tool, self.fresh(), made.id)
        used_up = expected == "BUDGET_EXCEEDED" and self.turns[made.line.turn].refusals >= 10
        conflict = expected not in ("SESSION_INACTIVE", "UNAVAILABLE") and not used_up
        assert error_of(answer) == ("CONFLICT" if conflict else expected)
        self.count(made.line, made.tool, error_of(answer))

    @precondition(lambda self: self.made)
    @rule(which=st.integers(0, 50))
    def write_the_same_under_another_id(self, which: int) -> None:
        made = self.made[-1 - which % min(3, len(self.made))]
        if made.tool == "look" or made.turn != made.line.turn or self.blocked or not made.line.open:
            return
        assert self.ask(made.line, made.tool, made.name, self.fresh()).data == made.data

    @rule(which=st.integers(0, 3), where=st.sampled_from(["before", "after"]))
    def cancel_a_read(self, which: int, where: str) -> None:
        line, name, id = self.line(which), self.fresh(), self.fresh()
        expected = self.expected(line, "look")
        if expected != "ok":
            return

        async def stopped() -> ToolResponse:
            self.world.hang = where
            asking = asyncio.ensure_future(line.session.answer([call("look", {"name": name}, id)]))
            while self.world.hang and not asking.done():  # noqa: ASYNC110 - the handler takes the word away
                await asyncio.sleep(0.0005)
            await line.session.cancel([id])
            [answer] = await asking
            return answer

        assert error_of(self.checked(self.run(stopped()))) == "CANCELLED"
        self.count(line, "look", "ok")

    # Decisions

    @rule(which=st.integers(0, 3))
    def ask_for_confirmation(self, which: int) -> None:
        line, name = self.line(which), self.fresh()
        expected = self.expected(line, "send")
        answer = self.ask(line, "send", name, self.fresh())
        assert error_of(answer) == expected
        self.count(line, "send", expected)
        if expected == "CONFIRMATION_REQUIRED":
            self.requests.append(Waiting(name, self.now))

    @precondition(lambda self: self.requests)
    @rule(which=st.integers(0, 3), yes=st.booleans())
    def decide_one(self, which: int, yes: bool) -> None:
        line = self.line(which)
        listed = self.run(line.session.confirmations())
        assert {each.args["name"] for each in listed} == {each.name for each in self.pending()}
        if not listed:
            return
        request = next(each for each in self.requests if each.name == listed[0].args["name"])
        request.token = listed[0].token
        decide = line.session.approve if yes else line.session.reject
        answer = self.checked(self.run(decide(request.token)))
        if yes and (self.blocked or not line.open):
            assert error_of(answer) in ("UNAVAILABLE", "SESSION_INACTIVE")
            assert self.world.ran["send", request.name] == 0
            return
        request.settled = "approved" if yes else "rejected"
        assert error_of(answer) == ("ok" if yes else "CONFIRMATION_REJECTED")
        request.data = answer.data
        if line.session.turn > self.last_turn:
            self.turn_began(line)

    @precondition(lambda self: any(each.token for each in self.requests))
    @rule(which=st.integers(0, 3), request=st.integers(0, 20), yes=st.booleans())
    def decide_again(self, which: int, request: int, yes: bool) -> None:
        line = self.line(which)
        used = [each for each in self.requests if each.token and each.settled]
        if not used:
            return
        again = used[request % len(used)]
        decide = line.session.approve if yes else line.session.reject
        answer = self.checked(self.run(decide(again.token)))
        assert line.session.turn <= self.last_turn
        if (again.settled == "approved") == yes:
            assert answer.data == again.data
            assert error_of(answer) == ("ok" if yes else "CONFIRMATION_REJECTED")
        else:
            assert error_of(answer) == "CONFLICT"

    @precondition(lambda self: len(self.guesses()) < 9)
    @rule(which=st.integers(0, 3))
    def guess_a_token(self, which: int) -> None:
        """Nine times at most, for the tenth would close the door to right ones as well."""
        answer = self.checked(self.run(self.line(which).session.approve(self.fresh())))
        assert error_of(answer) == "NOT_FOUND"
        self.guessed.append(self.now)

    def guesses(self) -> list[int]:
        return [at for at in self.guessed if self.now - at < EXPIRY_SECONDS * 1000]

    # Time, blocks, crashes

    @rule(seconds=st.sampled_from([1, 60, EXPIRY_SECONDS]))
    def time_passes(self, seconds: int) -> None:
        self.clock.advance(seconds)

    @precondition(lambda self: self.number % 3 == 0)
    @rule(seconds=st.sampled_from([30, 120]))
    def block(self, seconds: int) -> None:
        self.run(self.app.blocks.add(ANN, seconds, incident=self.fresh()))
        self.blocked_until = max(self.blocked_until, self.now + seconds * 1000)

    @precondition(lambda self: self.blocked)
    @rule()
    def lift(self) -> None:
        assert self.run(self.app.blocks.lift(ANN))
        self.blocked_until = 0

    @rule(which=st.integers(0, 3), tool=st.sampled_from(["pay", "put"]), where=st.sampled_from(["before", "after"]))
    def crash_in_a_write(self, which: int, tool: str, where: str) -> None:
        line, name, id = self.line(which), self.fresh(), self.fresh()
        if self.expected(line, tool) != "ok":
            return

        async def started() -> None:
            self.world.hang = where
            asking = asyncio.ensure_future(line.session.answer([call(tool, {"name": name}, id)]))
            while self.world.hang and not asking.done():  # noqa: ASYNC110 - the handler takes the word away
                await asyncio.sleep(0.0005)
            self.lost.append(asking)

        self.run(started())
        self.count(line, tool, "ok")
        self.crash()
        assert self.world.ran[tool, name] == (tool == "put") + (where == "after")
        if self.blocked or not line.open:
            return
        answer = self.ask(line, tool, name, id)
        if tool == "pay":
            assert error_of(answer) == "OUTCOME_UNKNOWN"
        else:
            assert answer.data == {"done": name}
            self.made.append(Made(line, line.session.epoch, line.turn, tool, name, id, answer.data))

    @rule()
    def crash(self) -> None:
        """The process is gone; its leases lapse, and another one takes over."""
        self.clock.advance(LEASE_SECONDS)
        self.boot()
        for line in self.lines:
            if not line.open or self.blocked:
                with pytest.raises(Refused):
                    self.run(self.app.attach(line.session.id, user=ANN))
                continue
            attached = self.run(self.app.attach(line.session.id, user=ANN))
            assert (attached.epoch, attached.turn) == (line.session.epoch, line.turn)
            line.session = attached

    @rule()
    def wake_what_hung(self) -> None:
        """A worker that counted as dead goes on; it is fenced off."""
        self.world.wake()
        self.run(asyncio.sleep(0.001))

    # What must hold after every step

    @invariant()
    def no_effect_happens_twice(self) -> None:
        for (tool, name), times in self.world.ran.items():
            assert len(self.world.keys[tool, name]) == 1, (tool, name)
            assert times == 1 or tool == "put", (tool, name, times)

    @invariant()
    def nothing_runs_without_approval(self) -> None:
        approved = {each.name for each in self.requests if each.settled == "approved"}
        assert {name for tool, name in self.world.ran if tool == "send"} == approved

    @invariant()
    def no_turn_uses_more_than_its_mode_allows(self) -> None:
        for turn in self.turns.values():
            limits = DEFAULTS[turn.mode]
            assert turn.total <= limits.total
            assert turn.retrieval <= limits.retrieval


class DurableConversation(Conversation):
    durable = True


_RARE = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

TestInMemory = pytest.mark.threat("B01", "B02", "B03", "C06", "I01", "K02", "K03", "S04", "S06")(Conversation.TestCase)
TestInMemory.settings = settings(
    max_examples=soak(35, 1300), stateful_step_count=50, deadline=None, suppress_health_check=_RARE
)

TestDurable = pytest.mark.threat("B02", "C13", "I05", "K02", "K03", "K04", "S04", "S06")(DurableConversation.TestCase)
TestDurable.settings = settings(
    max_examples=soak(12, 450), stateful_step_count=50, deadline=None, suppress_health_check=_RARE
)

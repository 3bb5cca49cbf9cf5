"""`explain` says what the pipeline then does, for every gate and every decision, and leaves no trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.apps import ANN, Workshop, call, error_of, one, running, talking
from tests.support.soak import soak
from tests.support.trail import audited

from ambidex import Orchestrator, Registry, ToolCall, ToolResponse
from ambidex.errors import Refused
from ambidex.policy.explain import REASONS, Explanation, Kind, Step, Verdict, every_step
from ambidex.policy.ladder import AFTER_IDENTITY, BEFORE_IDENTITY
from ambidex.session.session import Session
from ambidex.stores.memory import MemoryStore
from ambidex.testing import FakeClock

HANG_UP = """\
from ambidex import Intent, ok

async def execute(args, context):
    return ok({}, intents=[Intent.END_VOICE_SESSION(after="immediately")])
"""
FAILING = """\
from ambidex import ToolError

async def execute(args, context):
    raise ToolError("TRANSIENT", "not now")
"""
BREAKING = """\
async def execute(args, context):
    raise RuntimeError("broken")
"""
PAGED = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "default": 3}},
    "required": ["name"],
    "additionalProperties": False,
}
TOOLS = ("look", "page", "web", "help", "pay", "doubt", "send", "maybe", "rated", "speak", "never", "admin", "flaky")


def furnished(workshop: Workshop) -> Registry:
    """A tool for each gate that depends on the tool."""
    workshop.reading("look").reading("web", untrusted=True).reading("flaky", handler=FAILING)
    workshop.reading("page", parameters=PAGED, modeLimits={"voice": {"limit": {"maximum": 2}}})
    workshop.tool("help", maxConcurrency=1).writing("pay").writing("doubt", handler=BREAKING).gated("send")
    workshop.writing("maybe", confirmWhen="args.name == 'x'")
    workshop.tool("rated", rateLimit={"calls": 2, "windowMs": 60_000, "per": "user"})
    workshop.tool("speak", allowedModes=["voice"]).tool("hang-up", handler=HANG_UP)
    workshop.tool("never", availability="user.id == 'nobody'").tool("admin", permissions=["admin"])
    return workshop.build()


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    return furnished(Workshop(tmp_path_factory.mktemp("explain")))


def step_of(explanation: Explanation, gate: str) -> Step:
    return next(step for step in explanation.steps if step.gate == gate)


def snapshot(app: Orchestrator) -> dict[str, dict[str, Any]]:
    store = app._shared.runner.store
    assert isinstance(store, MemoryStore)
    return {name: dict(shelf) for name, shelf in store._shelves.items() if shelf}


# Agreement

calls = st.builds(
    lambda name, args, id: ToolCall(name=name, args=args, id=id),
    st.sampled_from([*TOOLS, *TOOLS, "hang_up", "lok"]),
    st.sampled_from([{"name": "x"}, {"name": "x"}, {"name": "y"}, {"name": 7}, "{"]),
    st.sampled_from([None, None, "1", "2", "3"]),
)
events = st.sampled_from(
    ["turn", "turn", "approve", "reject", "block", "lift", "minute", "reconnect", "cancel", "fill"]
)
stories = st.lists(st.one_of(calls, calls, calls, events), min_size=1, max_size=30)


class Play:
    """A session that things happen to; before every call it is explained."""

    def __init__(self, app: Orchestrator, session: Session, clock: FakeClock) -> None:
        self.app, self.session, self.clock = app, session, clock

    async def happens(self, event: str) -> None:
        app, session = self.app, self.session
        if event == "turn":
            await session.begin_turn("go on")
        elif event in ("approve", "reject"):
            for request in (await session.confirmations())[:1]:
                await getattr(session, event)(request.token)
        elif event == "block":
            await app.blocks.add(ANN, 90, incident=str(self.clock.moment().mono))
        elif event == "lift":
            await app.blocks.lift(ANN)
        elif event == "minute":
            self.clock.advance(61)
        elif event == "reconnect":
            self.session = await app.open(mode=session.mode, user=ANN, resume=session.resume_token)
        elif event == "cancel":
            await session.cancel(["3"])
        else:  # as many run in this process as may
            app._shared._active["help"] = 1

    async def asks(self, call: ToolCall) -> tuple[Explanation, Kind, str, ToolResponse]:
        before = snapshot(self.app)
        explanation = await self.session.explain(call)
        assert snapshot(self.app) == before
        known = len(await audited(self.app))
        [answer] = await self.session.answer([call])
        told = (await audited(self.app))[known:]
        return explanation, *_what_happened(told, answer), answer


def _what_happened(told: list[dict[str, Any]], answer: ToolResponse) -> tuple[Kind, str]:
    kinds = {line["event"]: line for line in told}
    if refused := kinds.get("call_refused"):
        return Kind.REFUSE, refused["rule"]
    if error_of(answer) == "CONFIRMATION_REQUIRED":
        return Kind.ASK, ""
    return (Kind.DUPLICATE if "call_duplicate" in kinds else Kind.RUN), ""


@settings(max_examples=soak(60, 2000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mode=st.sampled_from(["text", "voice"]), story=stories)
async def test_explain_and_the_pipeline_agree_on_every_decision(
    registry: Registry, mode: str, story: list[ToolCall | str]
) -> None:
    clock = FakeClock()
    async with talking(registry, mode=mode, clock=clock) as (app, session, _):
        play = Play(app, session, clock)
        for event in story:
            if isinstance(event, str):
                try:
                    await play.happens(event)
                except Refused:
                    return  # blocked, or ended: there is no more to play
                continue
            explanation, kind, rule, answer = await play.asks(event)
            assert (explanation.decision, explanation.rule) == (kind, rule)
            if kind in (Kind.REFUSE, Kind.ASK):
                assert explanation.error_type == error_of(answer)
            _check_steps(explanation)


def _check_steps(explanation: Explanation) -> None:
    """The steps lead to the decision: all hold up to the one that ends the climb, and behind it none was reached."""
    verdicts = [step.verdict for step in explanation.steps]
    reached = verdicts[: verdicts.index(Verdict.NOT_REACHED)] if Verdict.NOT_REACHED in verdicts else verdicts
    assert set(verdicts[len(reached) :]) <= {Verdict.NOT_REACHED}
    last = explanation.steps[len(reached) - 1]
    holding = {Verdict.PASS, Verdict.REWRITE}
    if explanation.decision is Kind.REFUSE:
        assert (last.gate, last.verdict) == (explanation.rule, Verdict.REFUSE)
        assert set(reached[:-1]) <= holding | {Verdict.ASK}
    elif explanation.decision is Kind.DUPLICATE:
        assert (last.gate, last.verdict) == ("call_is_new", Verdict.DUPLICATE)
    elif explanation.decision is Kind.ASK:
        assert [step.gate for step in explanation.steps if step.verdict is Verdict.ASK] == ["no_person_is_needed"]
    else:
        assert set(reached) <= holding


async def test_short_stories_come_to_each_rule_that_depends_on_what_was_before(registry: Registry) -> None:
    """So that the agreement above is about something."""
    for rule, story in {
        "session_is_active": ["hang_up", "look"],
        "user_is_not_blocked": ["block", "look"],
        "mode_is_allowed": ["text speak"],
        "rate_is_within_limit": ["rated x", "rated y", "rated z"],
        "there_is_room": ["fill", "help"],
        "requests_are_few": ["send a", "send b", "send c", "send d"],
        "retrieval_is_within_budget": ["look a", "look b", "look c"],
        "turn_is_within_budget": ["pay a", "pay b", "pay c", "pay d"],
    }.items():
        clock, mode = FakeClock(), "text" if story[0].startswith("text ") else "voice"
        async with talking(registry, mode=mode, clock=clock) as (app, session, _):
            play = Play(app, session, clock)
            for word in story:
                tool, _, value = word.removeprefix("text ").partition(" ")
                if tool in ("block", "fill"):
                    await play.happens(tool)
                    continue
                explanation, *happened, _ = await play.asks(call(tool, {"name": value or "x"}))
                assert [explanation.decision, explanation.rule] == happened
            assert explanation.rule == rule


# What it says


def test_there_is_a_reason_for_every_gate_and_for_no_other() -> None:
    assert set(REASONS) == {gate.__name__ for gate in (*BEFORE_IDENTITY, *AFTER_IDENTITY)}


async def test_every_step_is_told_in_ladder_order_also_those_that_were_not_reached(registry: Registry) -> None:
    async with talking(registry) as (_, session, _):
        for name in ("look", "speak", "send", "nothing_like_it"):
            explanation = await session.explain(call(name))
            assert [step.gate for step in explanation.steps] == list(every_step())


async def test_a_refusal_says_why_and_what_the_model_would_be_told(registry: Registry) -> None:
    async with talking(registry, mode="text") as (_, session, _):
        explanation = await session.explain(call("speak"))
        answer = await one(session, "speak")
    assert answer.error is not None
    step = step_of(explanation, "mode_is_allowed")
    assert (step.verdict, step.suggestion) == (Verdict.REFUSE, answer.error.suggestion)
    assert step.message == f"MODE_RESTRICTED: {answer.error.message}"
    assert step_of(explanation, "arguments_are_valid").verdict is Verdict.NOT_REACHED


async def test_a_gate_that_holds_says_what_it_found(registry: Registry) -> None:
    async with talking(registry, mode="voice") as (_, session, _):
        await one(session, "look")
        explanation = await session.explain(call("look", {"name": "other"}))
    assert step_of(explanation, "retrieval_is_within_budget").message == "1 of 2 look-ups used"
    assert step_of(explanation, "turn_is_within_budget").message == "1 of 3 calls used"
    assert step_of(explanation, "mode_is_allowed").message == "voice is of text, voice"


async def test_arguments_are_shown_as_they_would_run(registry: Registry) -> None:
    async with talking(registry, mode="voice") as (_, session, _):
        filled = await session.explain(call("page"))
        clamped = await session.explain(call("page", {"name": "x", "limit": 9}))
    assert filled.args == {"name": "x", "limit": 2}
    assert filled.defaulted == ("/limit",)
    assert clamped.args == {"name": "x", "limit": 2}
    assert clamped.notices
    assert step_of(clamped, "arguments_are_valid").verdict is Verdict.REWRITE


async def test_redacted_arguments_are_not_shown(workshop: Workshop) -> None:
    registry = workshop.writing("pay", redact=["args.name"]).build()
    async with talking(registry) as (_, session, _):
        explanation = await session.explain(call("pay", {"name": "4111 1111"}))
    assert explanation.args == {"name": "[redacted]"}
    assert b"4111" not in msgspec.json.encode(explanation)


async def test_it_says_why_a_person_is_needed(registry: Registry) -> None:
    async with talking(registry) as (_, session, _):
        always = await session.explain(call("send"))
        condition = await session.explain(call("maybe", {"name": "x"}))
        await one(session, "web")
        untrusted = await session.explain(call("pay"))
    for explanation, word in ((always, "requiresConfirmation"), (condition, "confirmWhen"), (untrusted, "outsiders")):
        assert explanation.decision is Kind.ASK
        assert word in step_of(explanation, "no_person_is_needed").message


async def test_a_repeat_is_told_from_a_new_call(registry: Registry) -> None:
    async with talking(registry) as (_, session, _):
        await one(session, "pay", id="1")
        again = await session.explain(call("pay", id="1"))
        reused = await session.explain(call("pay", {"name": "other"}, id="1"))
    assert again.decision is Kind.DUPLICATE
    assert step_of(again, "call_is_new").message == "it is the call of turn 1 again, which is done"
    assert (reused.decision, reused.rule) == (Kind.REFUSE, "id_is_not_reused")


async def test_a_connection_that_was_taken_over_is_told_so(registry: Registry) -> None:
    async with talking(registry) as (app, session, _):
        await app.open(mode="text", user=ANN, resume=session.resume_token)
        explanation = await session.explain(call("look"))
    assert (explanation.rule, explanation.error_type) == ("session_is_current", "SESSION_INACTIVE")


# What it leaves behind


async def test_explaining_counts_nothing_and_runs_nothing(workshop: Workshop) -> None:
    registry = workshop.writing("pay").gated("send").build()
    async with talking(registry) as (app, session, _):
        lines, counted = await audited(app), registry.metrics()
        for _ in range(20):
            await session.explain(call("pay"))
            await session.explain(call("send"))
            await session.explain(call("nothing"))
        assert await audited(app) == lines
        assert registry.metrics() == counted
        assert await session.confirmations() == []
    assert workshop.runs("pay") == []


async def test_an_outdated_session_is_not_ended_by_explaining(workshop: Workshop) -> None:
    old = workshop.reading("look").build()
    new = workshop.reading("page").build()
    async with talking(old) as (app, session, _):
        app.use(new)
        lines, counted = await audited(app), (old.metrics(), new.metrics())
        explanation = await session.explain(call("look"))
        assert await audited(app) == lines
        assert (old.metrics(), new.metrics()) == counted
        assert explanation.rule == "session_is_current"
        assert error_of(await one(session, "look")) == explanation.error_type


async def test_a_store_on_disk_is_left_as_it_was(workshop: Workshop, tmp_path: Path) -> None:
    registry = workshop.writing("pay").build()
    async with running(registry, store=f"sqlite:{tmp_path / 'store.db'}") as app:
        session = await app.open(mode="text", user=ANN)
        await session.begin_turn("please")
        lines = await audited(app)
        assert (await session.explain(call("pay"))).decision is Kind.RUN
        assert await audited(app) == lines
        assert error_of(await one(session, "pay")) == "ok"
    assert len(workshop.runs("pay")) == 1

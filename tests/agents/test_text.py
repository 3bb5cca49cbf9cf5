"""The text agent: turns over several steps, decisions inside the conversation, and what is kept of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.stage import answers_of, end_of, names, staged, text_of
from tests.support.apps import ANN, BOB, Workshop
from tests.support.waiting import until

from ambidex import Refused, Registry, User
from ambidex.agents import events as shown
from ambidex.testing import FakeClock
from ambidex.testing.standins import Call, Calls, Cut, ErrorMidStream, RateLimited, Say, ServerError, Truncated
from ambidex.transports.items import OutcomeItem, ResultItem, StepItem, UserItem

LOOK, SEND = Call("look", {"name": "a"}), Call("send", {"name": "z"})


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).reading().gated()


@pytest.fixture
def registry(workshop: Workshop) -> Registry:
    return workshop.build()


async def test_a_turn_shows_every_step_and_ends_when_nothing_is_left_to_answer(
    registry: Registry, prompts: Path
) -> None:
    script = [Calls(LOOK, Call("look", {"name": "b"}), text="Wait."), Say("Both found.")]
    async with staged(registry, prompts, script) as stage:
        events = await stage.say("find a and b")
        assert names(events) == [
            *("TurnStarted", "StepStarted", "CallReady", "CallReady", "CallAnswered", "CallAnswered", "StepEnded"),
            *("StepStarted", "StepEnded", "TurnEnded"),
        ]
        assert text_of(events) == "Wait.Both found."
        assert events[0] == shown.TurnStarted(stage.chat.id, 1, "openai", "m-1")
        assert [message["role"] for message in stage.read()] == ["user", "assistant", "tool", "tool"]
        assert json.loads(stage.read()[2]["content"])["data"] == {"done": "a"}


@pytest.mark.threat("T08")
async def test_in_one_message_the_valid_call_runs_and_the_others_are_answered(
    registry: Registry, prompts: Path, workshop: Workshop
) -> None:
    bad = [Call("look", '{"name": '), LOOK, Call("no_such_tool"), Call("look", {"nam": "x"}), Call("look", "[1]")]
    async with staged(registry, prompts, [Calls(*bad), Say("I see.")]) as stage:
        events = await stage.say("go")
        assert answers_of(events) == ["VALIDATION", "ok", "NOT_FOUND", "VALIDATION", "VALIDATION"]
        asked = stage.read()[1]["tool_calls"]
        assert [m["tool_call_id"] for m in stage.read()[2:]] == [call["id"] for call in asked]
        ready = [event for event in events if isinstance(event, shown.CallReady)]
        assert [event.args for event in ready] == [None, {"name": "a"}, {}, {"nam": "x"}, None]
    assert len(workshop.runs("look")) == 1


@pytest.mark.threat("T07")
async def test_calls_of_a_message_that_was_cut_are_answered_and_never_run(
    registry: Registry, prompts: Path, workshop: Workshop
) -> None:
    async with staged(registry, prompts, [Truncated(LOOK, Call("look", {"name": "cut"})), Say("Sorry.")]) as stage:
        events = await stage.say("go")
        assert answers_of(events) == ["VALIDATION", "VALIDATION"]
        assert end_of(events) == "stop"
    assert workshop.runs("look") == []


@pytest.mark.threat("C14", "C01")
async def test_an_approved_call_is_told_as_a_new_item_and_never_answered_twice(
    registry: Registry, prompts: Path, workshop: Workshop
) -> None:
    async with staged(registry, prompts, [Calls(LOOK, SEND), Say("It is sent.")]) as stage:
        asked = await stage.say("send it")
        assert (answers_of(asked), end_of(asked)) == (["ok", "CONFIRMATION_REQUIRED"], "approval")
        [wanted] = [event for event in asked if isinstance(event, shown.ApprovalWanted)]
        [request] = await stage.chat.confirmations()
        assert (wanted.name, wanted.request_id, dict(wanted.args)) == ("send", request.id, {"name": "z"})
        settled = await stage.chat.decide(request.token, True)
        assert (settled.call_id, settled.request_id, settled.approved) == (wanted.call_id, request.id, True)
        told = await stage.go_on()
        assert names(told)[:2] == ["TurnStarted", "ApprovalSettled"]
        assert end_of(told) == "stop"
        roles = [message["role"] for message in stage.read()]
        assert roles == ["user", "assistant", "tool", "tool", "user"]
        assert f"call {wanted.call_id} of send" in stage.read()[-1]["content"]
        assert '"done":"z"' in stage.read()[-1]["content"]
        assert request.token not in json.dumps(stage.model.requests)
    assert len(workshop.runs("send")) == 1


@pytest.mark.threat("C14")
@pytest.mark.parametrize("how", ["rejected", "expired"])
async def test_rejection_and_expiry_are_told_with_the_next_message(
    registry: Registry, prompts: Path, workshop: Workshop, how: str
) -> None:
    clock = FakeClock()
    async with staged(registry, prompts, [Calls(SEND), Say("As you like.")], clock=clock) as stage:
        await stage.say("send it")
        if how == "rejected":
            assert not (await stage.decide(False)).approved
        else:
            clock.advance(301)
        events = await stage.say("well?")
        [settled] = [event for event in events if isinstance(event, shown.ApprovalSettled)]
        assert settled.answer.error is not None
        assert settled.answer.error.type == f"CONFIRMATION_{how.upper()}"
        assert f"CONFIRMATION_{how.upper()}" in stage.read()[-2]["content"]
        assert stage.read()[-1]["content"] == "well?"
        assert not [e for e in await stage.go_on() if isinstance(e, shown.ApprovalSettled)], "each is told once"
    assert workshop.runs("send") == []


async def test_a_decision_taken_elsewhere_is_read_from_the_store(
    registry: Registry, prompts: Path, workshop: Workshop
) -> None:
    async with staged(registry, prompts, [Calls(SEND), Say("Done.")]) as stage:
        await stage.say("send it")
        elsewhere = await stage.app.attach(stage.chat.session.id, user=ANN)
        [request] = await elsewhere.confirmations()
        await elsewhere.approve(request.token)
        assert names(await stage.say("and?"))[:2] == ["TurnStarted", "ApprovalSettled"]
        items = await stage.chat.items()
        assert [item.ok for item in items if isinstance(item, OutcomeItem)] == [True]


async def test_while_a_request_waits_the_user_may_go_on_talking(registry: Registry, prompts: Path) -> None:
    async with staged(registry, prompts, [Calls(SEND), Say("Later, then.")]) as stage:
        await stage.say("send it")
        assert end_of(await stage.say("something else")) == "stop"
        assert len(await stage.chat.confirmations()) == 1


@pytest.mark.threat("C10")
async def test_a_token_of_nothing_is_answered_and_tells_nothing(registry: Registry, prompts: Path) -> None:
    async with staged(registry, prompts, [Calls(SEND)]) as stage:
        await stage.say("send it")
        settled = await stage.chat.decide("wrong", True)
        assert (settled.request_id, settled.approved, settled.answer.ok) == ("", False, False)


async def test_going_on_with_nothing_to_read_asks_no_model(registry: Registry, prompts: Path) -> None:
    async with staged(registry, prompts, [Say("Hello.")]) as stage:
        await stage.say("hi")
        assert names(await stage.go_on()) == ["TurnStarted", "TurnEnded"]
        assert len(stage.model.requests) == 1


async def test_a_model_that_never_stops_calling_is_stopped(registry: Registry, prompts: Path) -> None:
    numbers = iter(range(100))

    def forever(_: Any) -> Calls:
        return Calls(Call("look", {"name": str(next(numbers))}))

    async with staged(registry, prompts, forever, settings={"agent.max_steps": 3}) as stage:
        assert end_of(await stage.say("go")) == "steps"
        assert len(stage.model.requests) == 3


# The provider's failures


@pytest.mark.parametrize("trouble", [RateLimited(2), ServerError(503), Cut(), ErrorMidStream()])
async def test_a_step_of_which_nothing_was_shown_is_tried_again(
    registry: Registry, prompts: Path, trouble: Any
) -> None:
    clock = FakeClock()
    async with staged(registry, prompts, [trouble, Say("Here.")], clock=clock) as stage:
        events = await stage.say("hi")
        assert (text_of(events), end_of(events)) == ("Here.", "stop")
        [waited] = clock.slept
        assert (waited == 2) if isinstance(trouble, RateLimited) else (0 <= waited <= 0.5)


@pytest.mark.parametrize("trouble", [Cut(text="Once upon"), ErrorMidStream(text="Once upon"), Cut(SEND)])
async def test_what_was_shown_is_not_said_again_and_nothing_of_it_runs(
    registry: Registry, prompts: Path, workshop: Workshop, trouble: Any
) -> None:
    async with staged(registry, prompts, [trouble, Say("Fresh start.")]) as stage:
        events = await stage.say("hi")
        assert end_of(events).startswith("failed: ")
        assert len(stage.model.requests) == 1
        assert [type(item) for item in await stage.chat.items()] == [UserItem]
        assert end_of(await stage.say("again")) == "stop"


async def test_a_provider_that_stays_down_is_given_up_with_a_safe_sentence(registry: Registry, prompts: Path) -> None:
    async with staged(registry, prompts, [ServerError(500)] * 4, clock=FakeClock()) as stage:
        [*_, last] = await stage.say("hi")
        assert isinstance(last, shown.TurnFailed)
        assert (last.kind, len(stage.model.requests)) == ("overloaded", 4)


async def test_a_wait_that_is_too_long_is_told_to_the_user_instead(registry: Registry, prompts: Path) -> None:
    async with staged(registry, prompts, [RateLimited(3600)], clock=FakeClock()) as stage:
        [*_, last] = await stage.say("hi")
        assert last == shown.TurnFailed(
            "rate_limit", "The model gets too many requests for now. Try again in 3600 s.", 3_600_000
        )


class _Broken:
    """A provider with a bug."""

    def __init__(self, inner: Any) -> None:
        self.facts, self.model = inner.facts, inner.model

    async def step(self, _: Any) -> AsyncIterator[Any]:
        raise RuntimeError("a secret of the house")
        yield

    async def close(self) -> None: ...


@pytest.mark.threat("T06")
async def test_a_bug_ends_the_turn_and_not_the_process(
    registry: Registry, prompts: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with staged(registry, prompts, []) as stage:
        stage.agent.provider = _Broken(stage.agent.provider)
        assert end_of(await stage.say("hi")) == "failed: internal"
        assert "a secret of the house" not in caplog.text


# What is kept


@pytest.mark.parametrize("store", ["memory:", "sqlite:chat.db"])
async def test_a_conversation_goes_on_where_it_was_left(
    registry: Registry, prompts: Path, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = [Calls(LOOK), Say("Found."), Say("Yes.")]
    async with staged(registry, prompts, script, store=store) as stage:
        await stage.say("find a")
        again = await stage.agent.open(ANN, stage.chat.id)
        assert again.session.id == stage.chat.session.id
        assert [type(item) for item in await again.items()] == [UserItem, StepItem, ResultItem, StepItem]
        assert text_of([event async for event in again.say("sure?")]) == "Yes."
        assert [m["role"] for m in stage.read()] == ["user", "assistant", "tool", "assistant", "user"]


async def test_a_conversation_outlives_the_process(registry: Registry, prompts: Path, tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'chat.db'}"
    async with staged(registry, prompts, [Calls(SEND)], store=store) as stage:
        await stage.say("send it")
        conversation = stage.chat.id
    async with staged(registry, prompts, [Say("Sent.")], store=store) as stage:
        stage.chat = await stage.agent.open(ANN, conversation)
        await stage.decide(True)
        assert text_of(await stage.go_on()) == "Sent."


@pytest.mark.threat("S03")
async def test_another_user_with_the_same_name_of_a_conversation_has_another_one(
    registry: Registry, prompts: Path
) -> None:
    async with staged(registry, prompts, [Say("Hello.")]) as stage:
        await stage.say("my secret")
        other = await stage.agent.open(BOB, stage.chat.id)
        assert other.session.id != stage.chat.session.id
        assert await other.items() == []


async def test_a_user_whose_rights_have_changed_goes_on_in_a_session_that_knows_it(
    registry: Registry, prompts: Path
) -> None:
    async with staged(registry, prompts, [Say("Hello.")]) as stage:
        await stage.say("hi")
        fewer = await stage.agent.open(User("ann"), stage.chat.id)
        assert fewer.session.user.scopes == frozenset()
        assert fewer.session.id != stage.chat.session.id
        assert len(await fewer.items()) == 2


async def test_workers_that_open_a_conversation_at_once_share_its_session(registry: Registry, prompts: Path) -> None:
    async with staged(registry, prompts, []) as stage:
        chats = await asyncio.gather(*(stage.agent.open(ANN, "ours") for _ in range(8)))
        assert len({chat.session.id for chat in chats}) == 1


async def test_regenerating_replaces_the_last_turn_and_keeps_its_words(registry: Registry, prompts: Path) -> None:
    async with staged(registry, prompts, [Say("One."), Say("Two."), Say("Three.")]) as stage:
        await stage.say("first")
        await stage.say("second")
        events = await stage.say("", regenerate=True)
        assert text_of(events) == "Three."
        assert [m["content"] for m in stage.read()] == ["first", "One.", "second"]
        assert events[0] == shown.TurnStarted(stage.chat.id, 3, "openai", "m-1")


@pytest.mark.threat("S06")
async def test_a_blocked_user_is_told_so_and_no_model_is_asked(registry: Registry, prompts: Path) -> None:
    async with staged(registry, prompts, []) as stage:
        await stage.app.blocks.add(ANN, 60, incident="x")
        [failed] = await stage.say("hi")
        assert isinstance(failed, shown.TurnFailed)
        assert failed.kind == "UNAVAILABLE"
        assert failed.retry_after_ms
        with pytest.raises(Refused):
            await stage.agent.open(ANN)


BLOCKING = """\
from ambidex import ok

async def execute(args, context):
    await context.messaging.send({"type": "timeout"})
    await context.blocks.add(60)
    return ok({})
"""


async def test_a_tool_that_blocks_the_user_ends_the_turn_and_what_it_sent_is_shown(
    tmp_path: Path, prompts: Path
) -> None:
    registry = Workshop(tmp_path).tool("ban", handler=BLOCKING, category="action").build()
    async with staged(registry, prompts, [Calls(Call("ban", {"name": "x"}))]) as stage:
        events = await stage.say("!!!")
        assert answers_of(events) == ["ok"]
        assert [e.message for e in events if isinstance(e, shown.ClientMessage)] == [{"type": "timeout"}]
        assert end_of(events) == "blocked"


WAITING = """\
import asyncio
from pathlib import Path
from ambidex import Intent, ok

async def execute(args, context):
    Path({started!r}).touch()
    while not Path({gate!r}).exists():
        await asyncio.sleep(0.005)
    return ok({{"done": True}})
"""


@pytest.mark.threat("T11", "I10")
@pytest.mark.parametrize("speaks_first", [False, True])
async def test_a_client_that_vanishes_leaves_no_task_and_the_write_it_began_is_told_next_turn(
    tmp_path: Path, prompts: Path, speaks_first: bool
) -> None:
    gate, started = tmp_path / "gate", tmp_path / "started"
    code = WAITING.format(gate=str(gate), started=str(started))
    registry = Workshop(tmp_path).writing("slow", handler=code, downstream="none").build()
    script = [Say("Hello."), Calls(Call("slow", {"name": "x"})), Say("Go on."), Say("It is done.")]
    async with staged(registry, prompts, script) as stage:
        await stage.say("hi")  # the connection to the model is open now, and its tasks are there
        before = len(asyncio.all_tasks())
        turn = asyncio.ensure_future(stage.say("do it"))
        await until(started.exists)
        turn.cancel()
        await asyncio.gather(turn, return_exceptions=True)
        if speaks_first:
            await stage.say("are you there?")
        gate.touch()
        await until(lambda: len(asyncio.all_tasks()) <= before)
        await stage.say("well?")
        told = [m["content"] for m in stage.read() if m["role"] in ("tool", "user")]
        assert any('"done":true' in str(content) for content in told)
        kinds = {type(item) for item in await stage.chat.items()}
        assert (OutcomeItem in kinds) is speaks_first


async def test_a_message_that_a_tool_left_for_the_next_turn_is_told_then(tmp_path: Path, prompts: Path) -> None:
    code = (
        "from ambidex import Intent, ok\n\n\nasync def execute(args, context):\n"
        "    return ok({}, intents=[Intent.SET_PENDING_MESSAGE(message='remember the milk')])\n"
    )
    registry = Workshop(tmp_path).tool("leave", handler=code, category="action").build()
    script = [Calls(Call("leave", {"name": "x"})), Say("Noted."), Say("Milk.")]
    async with staged(registry, prompts, script) as stage:
        await stage.say("leave it")
        await stage.say("what now?")
        assert "remember the milk" in stage.read()[-2]["content"]


@pytest.mark.threat("H04")
async def test_outsiders_text_reaches_the_model_wrapped_and_then_writes_need_the_user(
    tmp_path: Path, prompts: Path
) -> None:
    workshop = Workshop(tmp_path).reading("search", untrusted=True).writing("pay")
    script = [Calls(Call("search", {"name": "x"})), Calls(Call("pay", {"name": "y"}))]
    async with staged(workshop.build(), prompts, script) as stage:
        events = await stage.say("look it up")
        data = json.loads(stage.read()[-1]["content"])["data"]
        assert data.keys() == {"untrusted", "mark", "text"}
        assert answers_of(events) == ["ok", "CONFIRMATION_REQUIRED"]
    assert workshop.runs("pay") == []


async def test_records_that_the_answer_names_are_cited(tmp_path: Path, prompts: Path) -> None:
    code = (
        "from ambidex import ok\n\n\nasync def execute(args, context):\n"
        "    one = {'id': 'person:ada', 'title': 'Ada', 'url': 'https://example.com/ada'}\n"
        "    return ok({'results': [one, {'id': 'person:bob', 'title': 'Bob', 'url': None}]})\n"
    )
    registry = Workshop(tmp_path).reading("search", handler=code).build()
    script = [Calls(Call("search", {"name": "x"})), Say("It was Ada (person:ada).")]
    async with staged(registry, prompts, script) as stage:
        events = await stage.say("who?")
        cited = [event for event in events if isinstance(event, shown.Cited)]
        assert cited == [shown.Cited("person:ada", "Ada", "https://example.com/ada")]


async def test_a_call_whose_result_was_lost_in_a_crash_is_told_as_interrupted(
    registry: Registry, prompts: Path
) -> None:
    async with staged(registry, prompts, [Calls(LOOK), Say("Found."), Say("Hm.")]) as stage:
        await stage.say("find a")
        step, result = (await stage.chat.items())[1:3]
        assert isinstance(step, StepItem)
        assert isinstance(result, ResultItem)
        await stage.chat.keep(step)  # as a worker that died right behind the claim would have left it
        await stage.say("and now?")
        assert "OUTCOME_UNKNOWN" in stage.read()[-2]["content"]


async def test_missing_prompts_are_told_before_anything_is_said(registry: Registry, tmp_path: Path) -> None:
    from ambidex import ConfigError

    with pytest.raises(ConfigError, match=r"core\.md"):
        async with staged(registry, tmp_path / "nowhere", []):
            pass

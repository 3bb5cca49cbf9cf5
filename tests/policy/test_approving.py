"""The user's side: exactly what was shown runs, once, in time, while the world is as it was."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.support.apps import ANN, BOB, Workshop, call, error_of, one, running, talking
from tests.support.soak import soak
from tests.support.trail import audited, call_rows, request_rows, turn_rows

from ambidex import Orchestrator, Registry, ToolResponse
from ambidex.audit.events import Event
from ambidex.ledger.rows import RequestState
from ambidex.session.session import Session
from ambidex.stores.base import Tx
from ambidex.testing import FakeClock

LIFE = 300.0
SLOW = """\
import asyncio
from pathlib import Path
from ambidex import ok

async def execute(args, context):
    await asyncio.sleep(0.002)
    with Path({path!r}).open("a") as effects:
        effects.write(context.idempotency_key + "\\n")
    return ok({{"done": args["name"]}})
"""


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).gated()


async def token_of(session: Session) -> str:
    [request] = await session.confirmations()
    return request.token


# Exactly what was shown


@pytest.mark.threat("C04")
async def test_the_stored_arguments_run_whatever_the_model_says_meanwhile(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).gated()
    async with talking(workshop.build()) as (app, session, _):
        await one(session, "send", {"name": "ada"}, id="c1")
        token = await token_of(session)
        assert error_of(await one(session, "send", {"name": "eve"}, id="c1")) == "CONFLICT"
        assert error_of(await one(session, "send", {"name": "eve"}, id="c2")) == "CONFIRMATION_REQUIRED"
        outcome = await session.approve(token)
        assert outcome.data == {"done": "ada"}
        [row] = [row for row in await call_rows(app) if row.request]
        assert row.args == b'{"name":"ada"}'


@pytest.mark.threat("C04")
async def test_changing_the_listed_arguments_is_not_possible_and_changes_nothing(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, session, _):
        await one(session, "send", {"name": "ada"})
        [request] = await session.confirmations()
        with pytest.raises(TypeError):
            request.args["name"] = "eve"  # type: ignore[index]
        with pytest.raises(AttributeError):
            request.tool = "other"  # type: ignore[misc]
        assert (await session.approve(request.token)).data == {"done": "ada"}


async def test_the_outcome_names_the_call_that_asked_and_the_turn_it_ran_in(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, session, _):
        await one(session, "send", id="c1")
        outcome = await session.approve(await token_of(session))
        assert outcome.meta is not None
        assert (outcome.meta.call_id, outcome.meta.turn, session.turn) == ("c1", 2, 2)


# Once


@pytest.mark.threat("C06")
@pytest.mark.parametrize("store", ["memory:", "sqlite"])
async def test_three_approvals_are_one_run_and_one_result(workshop: Workshop, tmp_path: Path, store: str) -> None:
    url = store if store == "memory:" else f"sqlite:{tmp_path / 'a.db'}"
    async with talking(workshop.build(), store=url) as (app, session, _):
        await one(session, "send")
        token = await token_of(session)
        outcomes = [await session.approve(token) for _ in range(3)]
        assert [outcome.data for outcome in outcomes] == [{"done": "x"}] * 3
        assert [outcome.meta.deduplicated for outcome in outcomes if outcome.meta] == [False, True, True]
        assert session.turn == 2
        assert len(await audited(app, "confirmation_approved")) == 1
    assert len(workshop.runs("send")) == 1


@pytest.mark.threat("C06")
@pytest.mark.parametrize("fails_at", [1, 2, 3])
async def test_the_turn_the_consumed_request_and_the_claimed_call_are_written_together_or_not_at_all(
    workshop: Workshop, fails_at: int
) -> None:
    """Each of the three tells the audit as it is written; wherever that fails, none of them has happened."""
    async with talking(workshop.build()) as (app, session, _):
        await one(session, "send")
        token = await token_of(session)
        real, told = app._shared.record, 0

        def failing(tx: Tx, events: Sequence[Event]) -> None:
            nonlocal told
            told += 1
            if told == fails_at:
                raise RuntimeError("the power went")
            real(tx, events)

        app._shared.record = failing
        with pytest.raises(RuntimeError):
            await session.approve(token)
        app._shared.record = real
        assert [row.state for row in await request_rows(app)] == [RequestState.PENDING]
        assert await call_rows(app) == []
        assert len(await turn_rows(app)) == 1
        assert (await session.approve(token)).ok
    assert len(workshop.runs("send")) == 1


@pytest.mark.threat("C07")
@pytest.mark.parametrize("store", ["memory:", "sqlite"])
async def test_sixty_four_approvals_at_once_are_one_run(tmp_path: Path, store: str) -> None:
    workshop = Workshop(tmp_path)
    workshop.gated(handler=SLOW.format(path=str(tmp_path / "send.effects")))
    registry = workshop.build()
    for number in range(soak(2, 50)):
        url = store if store == "memory:" else f"sqlite:{tmp_path / f'{number}.db'}"
        async with talking(registry, store=url) as (_, session, _):
            await one(session, "send")
            tokens = [await token_of(session) for _ in range(4)]
            outcomes = await asyncio.gather(*(session.approve(tokens[place % 4]) for place in range(64)))
        assert {str(outcome.data) for outcome in outcomes} == {"{'done': 'x'}"}
        assert len(workshop.runs("send")) == number + 1


@pytest.mark.threat("C08")
async def test_of_approval_and_rejection_at_once_the_first_wins_and_the_other_learns_of_it(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.gated(handler=SLOW.format(path=str(tmp_path / "send.effects")))
    chance, registry = random.Random(8), workshop.build()
    for number in range(soak(20, 500)):
        before = len(workshop.runs("send"))
        async with talking(registry, store=f"sqlite:{tmp_path / f'{number}.db'}") as (app, session, _):
            await one(session, "send")
            token = await token_of(session)
            decisions: list[Callable[[str], Awaitable[ToolResponse]]] = [session.approve, session.reject] * 4
            chance.shuffle(decisions)
            outcomes = await asyncio.gather(*(decide(token) for decide in decisions))
            [request] = await request_rows(app)
        ran = len(workshop.runs("send")) - before
        approved = [outcome for decide, outcome in zip(decisions, outcomes, strict=True) if decide == session.approve]
        rejected = [outcome for decide, outcome in zip(decisions, outcomes, strict=True) if decide == session.reject]
        if request.state is RequestState.CONSUMED:
            assert ran == 1
            assert {error_of(outcome) for outcome in approved} == {"ok"}
            assert {_final_state(outcome) for outcome in rejected} == {"approved"}
        else:
            assert ran == 0
            assert {error_of(outcome) for outcome in rejected} == {"CONFIRMATION_REJECTED"}
            assert {_final_state(outcome) for outcome in approved} == {"rejected"}


def _final_state(outcome: ToolResponse) -> str:
    assert outcome.error is not None
    assert outcome.error.type == "CONFLICT"
    return str((outcome.error.details or {})["state"])


async def test_a_rejection_is_told_begins_one_turn_and_can_be_repeated(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (app, session, _):
        await one(session, "send", id="c1")
        token = await token_of(session)
        first, second = await session.reject(token), await session.reject(token)
        assert error_of(first) == error_of(second) == "CONFIRMATION_REJECTED"
        assert first.meta is not None
        assert (first.meta.tool_id, first.meta.call_id) == ("send", "c1")
        assert session.turn == 2
        assert await session.confirmations() == []
        assert len(await audited(app, "confirmation_rejected")) == 1
    assert workshop.runs("send") == []


# In time


@pytest.mark.threat("C09")
@pytest.mark.parametrize(("late_ms", "answer"), [(-1, "ok"), (0, "CONFIRMATION_EXPIRED"), (1, "CONFIRMATION_EXPIRED")])
async def test_a_request_lives_five_minutes_to_the_millisecond(workshop: Workshop, late_ms: int, answer: str) -> None:
    clock = FakeClock()
    async with talking(workshop.build(), clock=clock) as (_, session, _):
        await one(session, "send")
        token = await token_of(session)
        clock.advance(LIFE + late_ms / 1000)
        assert error_of(await session.approve(token)) == answer
        assert error_of(await session.reject(token)) == ("CONFLICT" if answer == "ok" else "CONFIRMATION_EXPIRED")
        assert session.turn == (2 if answer == "ok" else 1)
    assert len(workshop.runs("send")) == (answer == "ok")


@pytest.mark.threat("C09")
async def test_setting_the_wall_clock_neither_saves_nor_ends_a_request(workshop: Workshop) -> None:
    clock = FakeClock()
    async with talking(workshop.build(), clock=clock) as (_, session, _):
        await one(session, "send", {"name": "a"})
        clock.jump(+3600)
        assert error_of(await session.approve(await token_of(session))) == "ok"
        await one(session, "send", {"name": "b"})
        token = await token_of(session)
        clock.advance(LIFE)
        clock.jump(-3600)
        assert error_of(await session.approve(token)) == "CONFIRMATION_EXPIRED"


@pytest.mark.threat("C09")
async def test_after_expiry_a_fresh_request_needs_a_new_token(workshop: Workshop) -> None:
    clock = FakeClock()
    async with talking(workshop.build(), clock=clock) as (app, session, _):
        await one(session, "send")
        old = await token_of(session)
        clock.advance(LIFE)
        assert error_of(await one(session, "send")) == "CONFIRMATION_REQUIRED"
        fresh = await token_of(session)
        assert error_of(await session.approve(old)) == "CONFIRMATION_EXPIRED"
        assert workshop.runs("send") == []
        assert error_of(await session.approve(fresh)) == "ok"
        assert len(await audited(app, "confirmation_expired")) == 1


@pytest.mark.threat("C09")
async def test_an_outcome_can_be_asked_for_after_the_request_would_have_expired(workshop: Workshop) -> None:
    clock = FakeClock()
    async with talking(workshop.build(), clock=clock) as (_, session, _):
        await one(session, "send")
        token = await token_of(session)
        first = await session.approve(token)
        clock.advance(2 * LIFE)
        assert (await session.approve(token)).data == first.data


# While the world is as it was


async def refused_and_audited(app: Orchestrator, session: Session, token: str, workshop: Workshop) -> str:
    """The type of refusal; nothing ran, no turn began, the request waits on, and the audit knows why."""
    turn = session.turn
    refused = await session.approve(token)
    assert session.turn == turn
    assert workshop.runs("send") == []
    [line] = [line for line in await audited(app, "call_refused") if line.get("rule") == "world_is_unchanged"]
    assert (line["tool"], line["errorType"], line["user"]) == ("send", error_of(refused), session.user.id)
    assert {row.state for row in await request_rows(app)} == {RequestState.PENDING}
    return error_of(refused)


@pytest.mark.threat("C11")
async def test_a_user_who_was_blocked_meanwhile_approves_nothing(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (app, session, _):
        await one(session, "send")
        token = await token_of(session)
        await app.blocks.add(ANN, 60, incident="rude")
        assert await refused_and_audited(app, session, token, workshop) == "UNAVAILABLE"


@pytest.mark.threat("C11")
async def test_an_ended_session_approves_nothing(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (app, session, _):
        await one(session, "send")
        token = await token_of(session)
        await session.close()
        assert await refused_and_audited(app, session, token, workshop) == "SESSION_INACTIVE"


@pytest.mark.threat("C11")
async def test_a_session_that_ends_with_this_turn_approves_nothing(tmp_path: Path) -> None:
    hang_up = (
        "from ambidex import Intent, ok\n\n\nasync def execute(args, context):\n"
        "    return ok({}, intents=[Intent.END_VOICE_SESSION(after='current_turn')])\n"
    )
    workshop = Workshop(tmp_path).gated().tool("bye", handler=hang_up, category="action", allowedModes=["voice"])
    async with talking(workshop.build(), mode="voice") as (app, session, _):
        await one(session, "send")
        token = await token_of(session)
        assert error_of(await one(session, "bye")) == "ok"
        assert await refused_and_audited(app, session, token, workshop) == "SESSION_INACTIVE"
        assert error_of(await session.reject(token)) == "CONFIRMATION_REJECTED"
        assert session.turn == 1


@pytest.mark.threat("C11")
async def test_in_a_mode_that_the_tool_does_not_allow_it_is_not_approved(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).gated(allowedModes=["text"])
    async with running(workshop.build()) as app:
        text = await app.open(mode="text", user=ANN, conversation="talk")
        await text.begin_turn("please")
        await one(text, "send")
        voice = await app.open(mode="voice", user=ANN, conversation="talk")
        assert await refused_and_audited(app, voice, await token_of(voice), workshop) == "MODE_RESTRICTED"
        assert error_of(await text.approve(await token_of(text))) == "ok"


@pytest.mark.threat("C11")
@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ("gone", "NOT_FOUND"),
        ("version", "CONFLICT"),
        ("schema", "CONFLICT"),
        ("nothing", "ok"),
    ],
)
async def test_a_tool_that_changed_since_the_user_was_asked_is_not_run(
    tmp_path: Path, change: str, answer: str
) -> None:
    old = Workshop(tmp_path / "old").gated().reading()
    new = changed(tmp_path / "new", change)
    async with running(old.build(), config={"environment": "production"}) as app:
        first = await app.open(mode="text", user=ANN, conversation="talk")
        await first.begin_turn("please")
        await one(first, "send")
        app.use(new.build())
        second = await app.open(mode="text", user=ANN, conversation="talk")
        token = await token_of(second)
        if answer == "ok":
            assert error_of(await second.approve(token)) == "ok"
        else:
            assert await refused_and_audited(app, second, token, new) == answer
            assert error_of(await first.approve(await token_of(first))) == "ok"


def changed(root: Path, change: str) -> Workshop:
    workshop = Workshop(root).reading(latencyBudgetMs=101)
    if change == "version":
        workshop.gated(version="1.0.1")
    elif change == "schema":
        properties = {"name": {"type": "string"}, "to": {"type": "string"}}
        workshop.gated(
            parameters={"type": "object", "properties": properties, "required": ["name"], "additionalProperties": False}
        )
    elif change == "nothing":
        workshop.gated()
    return workshop


@pytest.mark.threat("C11", "C10")
async def test_a_connection_that_was_taken_over_decides_nothing(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (app, session, _):
        await one(session, "send")
        token = await token_of(session)
        newer = await app.open(mode="text", user=ANN, resume=session.resume_token)
        assert error_of(await session.approve(token)) == "SESSION_INACTIVE"
        assert error_of(await session.reject(token)) == "SESSION_INACTIVE"
        assert error_of(await newer.approve(token)) == "ok"
    assert len(workshop.runs("send")) == 1


# Across restarts


@pytest.mark.threat("C13")
async def test_a_request_survives_a_restart(workshop: Workshop, tmp_path: Path) -> None:
    store, registry = f"sqlite:{tmp_path / 'a.db'}", workshop.build()
    async with talking(registry, store=store) as (_, session, _):
        await one(session, "send", {"name": "ada"})
        old = await token_of(session)
    async with running(registry, store=store) as app:
        back = await app.attach(session.id, user=ANN)
        assert [request.args["name"] for request in await back.confirmations()] == ["ada"]
        assert (await back.approve(old)).data == {"done": "ada"}
        assert (await back.approve(old)).data == {"done": "ada"}
    assert len(workshop.runs("send")) == 1


ASK_AND_DIE = """\
import asyncio, os, signal, sys
import ambidex

async def main(artifact, store):
    app = ambidex.Orchestrator(ambidex.load(artifact), store=store, config={})
    await app.__aenter__()
    session = await app.open(mode="text", user=ambidex.User("ann"))
    await session.begin_turn("please")
    await session.answer([ambidex.ToolCall(id="c1", name="send", args={"name": "ada"})])
    [request] = await session.confirmations()
    print(session.id, request.token, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.threat("C13")
async def test_a_request_survives_the_kill_of_its_process_and_its_token_approves_it_once(
    workshop: Workshop, tmp_path: Path
) -> None:
    store, registry = f"sqlite:{tmp_path / 'a.db'}", workshop.build()
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ASK_AND_DIE, str(workshop.artifact), store, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await child.communicate()
    assert child.returncode == -signal.SIGKILL
    session_id, token = said.decode().split()
    async with running(registry, store=store) as app:
        session = await app.attach(session_id, user=ANN)
        outcomes = [await session.approve(token) for _ in range(2)]
    assert [outcome.data for outcome in outcomes] == [{"done": "ada"}] * 2
    assert len(workshop.runs("send")) == 1


@pytest.mark.threat("C13")
async def test_another_process_that_never_heard_the_question_may_take_the_decision(
    workshop: Workshop, tmp_path: Path
) -> None:
    """Two orchestrators on one file: neither keeps anything of a request to itself."""
    store, registry = f"sqlite:{tmp_path / 'a.db'}", workshop.build()
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(running(registry, store=store))
        there = await stack.enter_async_context(running(registry, store=store))
        session = await here.open(mode="text", user=ANN)
        await session.begin_turn("please")
        await one(session, "send")
        elsewhere = await there.attach(session.id, user=ANN)
        token = await token_of(elsewhere)
        outcomes = await asyncio.gather(session.approve(token), elsewhere.approve(token), session.approve(token))
        assert [outcome.data for outcome in outcomes] == [{"done": "x"}] * 3
    assert len(workshop.runs("send")) == 1


async def test_a_store_in_memory_forgets_with_its_process_and_the_token_is_worth_nothing(workshop: Workshop) -> None:
    registry: Registry = workshop.build()
    async with talking(registry) as (_, session, _):
        await one(session, "send")
        token = await token_of(session)
    async with talking(registry) as (_, session, _):
        assert error_of(await session.approve(token)) == "NOT_FOUND"
    assert workshop.runs("send") == []


# What an approval does to the conversation


async def test_an_approvals_turn_has_the_input_of_the_turn_that_asked(tmp_path: Path) -> None:
    tell = (
        "from ambidex import ok\n\n\nasync def execute(args, context):\n    return ok({'said': context.turn.input})\n"
    )
    workshop = Workshop(tmp_path).gated(handler=tell)
    async with talking(workshop.build(), said="send it to ada") as (app, session, _):
        await one(session, "send")
        await session.begin_turn("and what is the weather?")
        outcome = await session.approve(await token_of(session))
        assert outcome.data == {"said": "send it to ada"}
        assert [(turn.kind, turn.input) for turn in await turn_rows(app)] == [
            ("message", "send it to ada"),
            ("message", "and what is the weather?"),
            ("approval", "send it to ada"),
        ]


# Several decisions at once


async def two_requests(session: Session) -> tuple[str, str]:
    await session.answer([call("send", {"name": "ada"}, "c1"), call("send", {"name": "eve"}, "c2")])
    listed = {request.args["name"]: request.token for request in await session.confirmations()}
    return listed["ada"], listed["eve"]


@pytest.mark.parametrize("first", ["approve", "reject"])
async def test_decisions_that_are_sent_together_are_one_turn_with_one_fresh_budget(
    workshop: Workshop, first: str
) -> None:
    workshop.writing()
    async with talking(workshop.build(), mode="voice") as (app, session, _):
        one_token, other = await two_requests(session)
        await getattr(session, first)(one_token)
        outcome = await session.approve(other, joining=session.turn)
        paid = [error_of(await one(session, "pay", {"name": str(number)})) for number in range(4)]
        assert outcome.data == {"done": "eve"}
        assert outcome.meta is not None
        assert outcome.meta.turn == session.turn == 2
        assert paid == ["ok", "ok", "ok", "BUDGET_EXCEEDED"]
        assert [turn.kind for turn in await turn_rows(app)] == [
            "message",
            "approval" if first == "approve" else "rejection",
        ]
        assert len(await audited(app, "turn_start")) == 2


async def test_a_decision_joins_no_turn_that_words_began_and_none_that_is_over(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, session, _):
        one_token, other = await two_requests(session)
        await session.approve(one_token, joining=session.turn)
        assert session.turn == 2
        await session.begin_turn("and what is the weather?")
        await session.reject(other, joining=2)
        assert session.turn == 4


async def test_a_call_in_a_joined_turn_still_sees_the_words_that_led_to_it(tmp_path: Path) -> None:
    tell = (
        "from ambidex import ok\n\n\nasync def execute(args, context):\n    return ok({'said': context.turn.input})\n"
    )
    async with talking(Workshop(tmp_path).gated(handler=tell).build(), said="send it to ada") as (_, session, _):
        await one(session, "send", {"name": "ada"})
        await session.begin_turn("and to eve")
        await one(session, "send", {"name": "eve"})
        ada, eve = sorted(await session.confirmations(), key=lambda request: str(request.args["name"]))
        assert (await session.approve(ada.token)).data == {"said": "send it to ada"}
        assert (await session.approve(eve.token, joining=session.turn)).data == {"said": "and to eve"}
        assert session.turn == 3


async def test_a_decision_that_was_taken_before_begins_and_joins_nothing(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, session, _):
        one_token, other = await two_requests(session)
        await session.approve(one_token)
        again = await session.approve(one_token, joining=session.turn)
        assert again.data == {"done": "ada"}
        assert session.turn == 2
        await session.reject(other)
        assert session.turn == 3


async def test_an_approved_call_costs_no_budget(workshop: Workshop) -> None:
    workshop.writing()
    async with talking(workshop.build(), mode="voice") as (_, session, _):
        await one(session, "send")
        await session.approve(await token_of(session))
        paid = [error_of(await one(session, "pay", {"name": str(number)})) for number in range(4)]
        assert paid == ["ok", "ok", "ok", "BUDGET_EXCEEDED"]


@pytest.mark.parametrize("again", ["c1", "another", None])
async def test_the_model_cannot_make_the_approved_write_once_more_in_that_turn(
    workshop: Workshop, again: str | None
) -> None:
    async with talking(workshop.build()) as (_, session, _):
        await one(session, "send", id="c1")
        await session.approve(await token_of(session))
        repeated = await one(session, "send", id=again)
        assert repeated.data == {"done": "x"}
        assert repeated.meta is not None
        assert repeated.meta.deduplicated
    assert len(workshop.runs("send")) == 1


@pytest.mark.parametrize("reconnect", [False, True])
async def test_a_call_that_was_approved_gets_its_outcome_whenever_its_id_comes_again(
    workshop: Workshop, reconnect: bool
) -> None:
    async with talking(workshop.build()) as (app, session, _):
        await one(session, "send", id="c1")
        await session.approve(await token_of(session))
        if reconnect:
            session = await app.open(mode="text", user=ANN, resume=session.resume_token)
        await session.begin_turn("something else")
        replayed = await one(session, "send", id="c1")
        assert replayed.data == {"done": "x"}
        assert await session.confirmations() == []
    assert len(workshop.runs("send")) == 1


async def test_a_later_identical_request_is_a_new_one(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, session, _):
        for number in range(2):
            await session.begin_turn("send it")
            assert error_of(await one(session, "send", id=f"c{number}")) == "CONFIRMATION_REQUIRED"
            assert error_of(await session.approve(await token_of(session))) == "ok"
    assert len(set(workshop.runs("send"))) == 2


async def test_decisions_that_come_to_nothing_are_audited_each_once(workshop: Workshop) -> None:
    clock = FakeClock()
    async with talking(workshop.build(), clock=clock) as (app, session, _):
        await one(session, "send", {"name": "a"})
        approved = await token_of(session)
        await session.approve(approved)
        await session.reject(approved)
        await one(session, "send", {"name": "b"})
        rejected = await token_of(session)
        await session.reject(rejected)
        await session.approve(rejected)
        await one(session, "send", {"name": "c"})
        expired = await token_of(session)
        clock.advance(LIFE)
        await session.approve(expired)
        await session.approve(expired)
        refused = [(line["rule"], line["errorType"]) for line in await audited(app, "call_refused")]
        assert refused == [
            ("request_is_pending", "CONFLICT"),
            ("request_is_pending", "CONFLICT"),
            ("request_is_in_time", "CONFIRMATION_EXPIRED"),
        ]
        assert len(await audited(app, "confirmation_expired")) == 1


async def test_a_stranger_with_a_good_token_cannot_even_learn_that_it_was_used(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (app, session, _):
        await one(session, "send")
        token = await token_of(session)
        await session.approve(token)
        bob = await app.open(mode="text", user=BOB)
        assert (await bob.approve(token)).error == (await bob.approve("never was")).error


@pytest.mark.threat("L01")
async def test_once_a_call_is_final_no_row_of_it_holds_a_redacted_value_under_whatever_id(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).gated(redact=["args.name"]).writing(redact=["args.name"])
    async with talking(workshop.build()) as (app, session, _):
        await one(session, "send", {"name": "hunter2"}, id="c1")
        assert b"hunter2" in (await request_rows(app))[0].args, "approval will run it, so it is kept whole until then"
        await session.approve(await token_of(session))
        for name, id in (("send", "c1"), ("send", "c2"), ("pay", "p1"), ("pay", "p2")):
            assert error_of(await one(session, name, {"name": "hunter2"}, id=id)) == "ok"
        calls, requests = await call_rows(app), await request_rows(app)
    assert len(calls) == 5
    assert {row.args for row in calls} == {row.args for row in requests} == {b'{"name":"[redacted]"}'}


@pytest.mark.threat("I02", "C06")
async def test_an_approval_never_takes_the_place_of_another_call_under_the_same_id(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).gated("send").writing("pay")
    async with talking(workshop.build()) as (_, session, _):
        await one(session, "send", {"name": "Ada"}, id="1")
        paid = await one(session, "pay", {"name": "bill"}, id="1")
        [request] = await session.confirmations()
        assert (await session.approve(request.token)).ok
        again = await one(session, "pay", {"name": "bill"}, id="1")
    assert (paid.ok, again.ok, again.data) == (True, True, paid.data)
    assert (len(workshop.runs("pay")), len(workshop.runs("send"))) == (1, 1)

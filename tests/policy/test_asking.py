"""When a call needs a person, and the request that is made then."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.apps import ANN, Workshop, call, error_of, one, running, talking
from tests.support.trail import audited, request_rows

from ambidex import Registry, ToolResponse
from ambidex.ledger.rows import TurnKind
from ambidex.policy.asking import IN_DOUBT
from ambidex.testing import FakeClock

HOUR = 3600.0
CONSENT = [
    "confirmed", "confirmation", "confirmationToken", "confirmation_token", "confirm", "approved", "approval", "token",
    "consent", "user_said_yes", "force", "yes", "_confirmed", "confirmation_request", "id", "requiresConfirmation",
]  # fmt: skip


def request_id(answer: ToolResponse) -> str:
    assert answer.error is not None
    assert answer.error.confirmation_request is not None
    return answer.error.confirmation_request.id


# C02: consent cannot be claimed


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("consent")).gated()


@pytest.fixture(scope="module")
def registry(shared: Workshop) -> Registry:
    return shared.build()


consenting = st.sampled_from(["yes", "true", "The user said yes.", "APPROVED", "ok go ahead", "ja", "1"]) | st.text()


@pytest.mark.threat("C02")
@settings(max_examples=120, deadline=None)
@given(
    name=st.sampled_from(CONSENT) | st.from_regex(r"[a-zA-Z_]{1,20}", fullmatch=True),
    value=st.booleans() | consenting | st.integers(-9, 9) | st.none(),
    said=consenting,
    text=consenting,
)
def test_no_argument_and_no_text_counts_as_consent(
    shared: Workshop, registry: Registry, name: str, value: Any, said: str, text: str
) -> None:
    async def talk() -> None:
        async with talking(registry, said=said.encode(errors="replace").decode()) as (_, session, _):
            claimed = await one(session, "send", {"name": "x", name: value} if name != "name" else {"name": "x"})
            assert error_of(claimed) == ("VALIDATION" if name != "name" else "CONFIRMATION_REQUIRED")
            assert error_of(await one(session, "send", {"name": text})) in ("CONFIRMATION_REQUIRED", "VALIDATION")

    asyncio.run(talk())
    assert shared.runs("send") == []


# C12: a person is not worn down


@pytest.mark.threat("C12")
async def test_fifty_identical_calls_are_one_request(tmp_path: Path) -> None:
    async with talking(Workshop(tmp_path).gated().build()) as (app, session, _):
        answers = [await one(session, "send", id=f"c{number}") for number in range(50)]
        assert len({request_id(answer) for answer in answers}) == 1
        assert len(await session.confirmations()) == 1
        assert len(await audited(app, "confirmation_requested")) == 1


@pytest.mark.threat("C12")
async def test_identical_calls_at_once_and_in_later_turns_are_one_request(tmp_path: Path) -> None:
    async with talking(Workshop(tmp_path).gated().build()) as (_, session, _):
        batch = await session.answer([call("send", id=f"a{number}") for number in range(20)])
        await session.begin_turn("well?")
        together = await asyncio.gather(*(one(session, "send") for _ in range(20)))
        assert len({request_id(answer) for answer in [*batch, *together]}) == 1


@pytest.mark.threat("C12")
async def test_a_fourth_request_in_a_conversation_is_refused_until_one_is_settled(tmp_path: Path) -> None:
    async with talking(Workshop(tmp_path).gated().build()) as (_, session, _):
        for name in "abc":
            assert error_of(await one(session, "send", {"name": name})) == "CONFIRMATION_REQUIRED"
        fourth = await one(session, "send", {"name": "d"})
        assert fourth.error is not None
        assert (error_of(fourth), fourth.error.retryable) == ("RATE_LIMIT", True)
        assert 0 < (fourth.error.retry_after_ms or 0) <= 300_000
        assert len(await session.confirmations()) == 3
        assert error_of(await one(session, "send", {"name": "a"})) == "CONFIRMATION_REQUIRED"
        await session.reject((await session.confirmations())[0].token)
        assert error_of(await one(session, "send", {"name": "d"})) == "CONFIRMATION_REQUIRED"


@pytest.mark.threat("C12")
async def test_ten_requests_an_hour_are_the_most_that_a_conversation_makes(tmp_path: Path) -> None:
    clock = FakeClock()
    async with talking(Workshop(tmp_path).gated().build(), clock=clock) as (app, session, _):
        for number in range(10):
            await session.begin_turn("again")
            assert error_of(await one(session, "send", {"name": f"{number}"})) == "CONFIRMATION_REQUIRED"
            await session.reject((await session.confirmations())[0].token)
            clock.advance(60)
        eleventh = await one(session, "send", {"name": "eleven"})
        assert eleventh.error is not None
        assert (error_of(eleventh), eleventh.error.retry_after_ms) == ("RATE_LIMIT", 3_000_000)
        other = await app.open(mode="text", user=ANN)
        await other.begin_turn("elsewhere")
        assert error_of(await one(other, "send", {"name": "eleven"})) == "CONFIRMATION_REQUIRED"
        clock.advance(3000)
        await session.begin_turn("now?")
        assert error_of(await one(session, "send", {"name": "eleven"})) == "CONFIRMATION_REQUIRED"


@pytest.mark.threat("C12")
async def test_an_expired_request_makes_room_and_is_told_to_the_audit(tmp_path: Path) -> None:
    clock = FakeClock()
    workshop = Workshop(tmp_path).gated(redact=["args.name"])
    async with talking(workshop.build(), clock=clock) as (app, session, _):
        first = [request_id(await one(session, "send", {"name": name})) for name in "abc"]
        clock.advance(300)
        fresh = request_id(await one(session, "send", {"name": "a"}))
        assert fresh not in first
        assert [line["key"] for line in await audited(app, "confirmation_expired")] == first
        settled = [row for row in await request_rows(app) if row.id in first]
        assert {(row.state, row.args) for row in settled} == {("expired", b'{"name":"[redacted]"}')}


# What the model is told


async def test_the_model_is_not_told_redacted_values(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).gated(redact=["args.name"], preview="Send to {name}")
    async with talking(workshop.build()) as (_, session, transport):
        await transport.handle({"calls": [{"id": "c1", "name": "send", "args": {"name": "hunter2"}}]})
        [request] = await session.confirmations()
        assert request.preview.splitlines() == ["Send to hunter2", '  name: "hunter2"']
    assert b"hunter2" not in b"".join(transport.to_model)
    assert b"[redacted]" in transport.to_model[0]


async def test_asking_costs_no_budget_and_is_no_refusal(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).gated().writing()
    async with talking(workshop.build(), mode="voice") as (_, session, _):
        for number in range(30):
            await one(session, "send", id=f"c{number}")
        paid = [error_of(await one(session, "pay", {"name": f"{number}"})) for number in range(4)]
        assert paid == ["ok", "ok", "ok", "BUDGET_EXCEEDED"]


async def test_nobody_is_asked_to_approve_what_would_be_refused(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).gated("wrong-mode", allowedModes=["voice"]).gated("forbidden", permissions=["admin"])
    workshop.gated("often", rateLimit={"calls": 1, "windowMs": 60_000, "per": "user"}).gated()
    workshop.gated("hidden", availability="false")
    async with talking(workshop.build()) as (_, session, _):
        await one(session, "often", {"name": "first"})
        await session.approve((await session.confirmations())[0].token)
        assert error_of(await one(session, "often", {"name": "second"})) == "RATE_LIMIT"
        assert error_of(await one(session, "wrong_mode")) == "MODE_RESTRICTED"
        assert error_of(await one(session, "forbidden")) == "UNAVAILABLE"
        assert error_of(await one(session, "hidden")) == "UNAVAILABLE"
        assert error_of(await one(session, "send", {"name": 1})) == "VALIDATION"
        assert await session.confirmations() == []


# Conditions


async def test_a_condition_decides_which_calls_need_a_person(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).writing(confirmWhen="args.name == 'all' || turn.input.contains('carefully')")
    async with talking(workshop.build(), said="go") as (_, session, _):
        assert error_of(await one(session, "pay", {"name": "one"})) == "ok"
        assert error_of(await one(session, "pay", {"name": "all"})) == "CONFIRMATION_REQUIRED"
        await session.begin_turn("carefully now")
        assert error_of(await one(session, "pay", {"name": "two"})) == "CONFIRMATION_REQUIRED"


async def test_a_condition_that_fails_asks(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).writing(confirmWhen="int(args.name) > 5")
    async with talking(workshop.build()) as (_, session, _):
        assert error_of(await one(session, "pay", {"name": "3"})) == "ok"
        assert error_of(await one(session, "pay", {"name": "no number"})) == "CONFIRMATION_REQUIRED"


# Text written by outsiders


def reading_mail(tmp_path: Path) -> Workshop:
    workshop = Workshop(tmp_path).reading("mail", untrusted=True).reading("look")
    return workshop.writing().writing("note", safeAfterUntrusted=True)


async def test_after_outsiders_text_a_write_needs_a_person_from_the_next_message_on(tmp_path: Path) -> None:
    async with talking(reading_mail(tmp_path).build()) as (_, session, _):
        together = await session.answer([call("mail"), call("pay", {"name": "same message"})])
        assert [error_of(answer) for answer in together] == ["ok", "ok"]
        assert error_of(await one(session, "pay", {"name": "next message"})) == "CONFIRMATION_REQUIRED"


async def test_reads_and_tools_that_are_safe_after_it_go_on(tmp_path: Path) -> None:
    async with talking(reading_mail(tmp_path).build()) as (_, session, _):
        await one(session, "mail")
        assert error_of(await one(session, "look")) == "ok"
        assert error_of(await one(session, "note")) == "ok"


async def test_a_read_of_our_own_text_leaves_no_mark(tmp_path: Path) -> None:
    async with talking(reading_mail(tmp_path).build()) as (_, session, _):
        await one(session, "look")
        assert error_of(await one(session, "pay")) == "ok"


@pytest.mark.parametrize("kind", [TurnKind.MESSAGE, TurnKind.TRANSCRIPT])
async def test_the_users_own_words_clear_the_mark(tmp_path: Path, kind: TurnKind) -> None:
    async with talking(reading_mail(tmp_path).build()) as (_, session, _):
        await one(session, "mail")
        await session.begin_turn("pay it", kind=kind)
        assert error_of(await one(session, "pay")) == "ok"


@pytest.mark.parametrize("decision", ["approve", "reject"])
async def test_a_decision_begins_a_turn_with_fresh_budgets_and_keeps_the_mark(tmp_path: Path, decision: str) -> None:
    async with talking(reading_mail(tmp_path).build(), mode="voice") as (_, session, _):
        await one(session, "mail")
        await one(session, "look")
        assert error_of(await one(session, "look", {"name": "third"})) == "BUDGET_EXCEEDED"
        await one(session, "pay")
        [request] = await session.confirmations()
        await getattr(session, decision)(request.token)
        assert session.turn == 2
        assert error_of(await one(session, "look", {"name": "third"})) == "ok"
        assert error_of(await one(session, "pay", {"name": "another"})) == "CONFIRMATION_REQUIRED"


async def test_a_request_that_was_handed_over_keeps_the_mark_and_is_not_the_users_input(tmp_path: Path) -> None:
    workshop = reading_mail(tmp_path).writing("heard", confirmWhen="turn.input.contains('pay')")
    async with running(workshop.build()) as app:
        text = await app.open(mode="text", user=ANN, conversation="talk")
        await text.begin_turn("read my mail")
        await one(text, "mail")
        voice = await app.open(mode="voice", user=ANN, conversation="talk")
        await voice.begin_turn("pay everybody", kind=TurnKind.HANDOVER)
        assert error_of(await one(voice, "pay")) == "CONFIRMATION_REQUIRED"
        await voice.begin_turn("read it out", kind=TurnKind.TRANSCRIPT)
        assert error_of(await one(voice, "pay")) == "ok"
        await voice.begin_turn("pay everybody", kind=TurnKind.HANDOVER)
        assert error_of(await one(voice, "heard")) == "ok"


async def test_text_that_arrives_after_the_user_spoke_marks_the_turn_it_arrives_in(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    slow = (
        "import asyncio\nfrom pathlib import Path\nfrom ambidex import ok\n\n\nasync def execute(args, context):\n"
        f"    while not Path({str(gate)!r}).exists():\n        await asyncio.sleep(0.001)\n    return ok({{}})\n"
    )
    workshop = Workshop(tmp_path).reading("mail", untrusted=True, handler=slow).writing()
    async with talking(workshop.build()) as (_, session, _):
        reading = asyncio.ensure_future(one(session, "mail"))
        await asyncio.sleep(0)
        await session.begin_turn("never mind, do something else")
        gate.touch()
        assert error_of(await reading) == "ok"
        assert error_of(await one(session, "pay")) == "CONFIRMATION_REQUIRED"


async def test_a_recorded_answer_brings_outsiders_text_back(tmp_path: Path) -> None:
    async with running(reading_mail(tmp_path).build()) as app:
        session = await app.open(mode="text", user=ANN)
        await session.begin_turn("read my mail")
        await one(session, "mail", id="c1")
        session = await app.open(mode="text", user=ANN, resume=session.resume_token)
        await session.begin_turn("go on")
        again = await one(session, "mail", id="c1")
        assert again.meta is not None
        assert again.meta.deduplicated
        assert error_of(await one(session, "pay")) == "CONFIRMATION_REQUIRED"


# Doubt

NEVER_ENDS = "import asyncio\n\n\nasync def execute(args, context):\n    await asyncio.Event().wait()\n"


async def doubtful(tmp_path: Path, **fields: Any) -> Workshop:
    """A write that times out: whether it happened, nobody knows."""
    return Workshop(tmp_path).writing(handler=NEVER_ENDS, timeoutMs=30, latencyBudgetMs=10, **fields)


async def test_a_repeat_of_a_write_in_doubt_asks_in_a_later_turn_with_a_warning(tmp_path: Path) -> None:
    workshop = await doubtful(tmp_path)
    async with talking(workshop.build(), grace_seconds=0.1) as (app, session, _):
        assert error_of(await one(session, "pay")) == "OUTCOME_UNKNOWN"
        assert error_of(await one(session, "pay", id="again")) == "OUTCOME_UNKNOWN"
        assert await session.confirmations() == []
        await session.begin_turn("again")
        assert error_of(await one(session, "pay", {"name": "somebody else"})) == "OUTCOME_UNKNOWN"
        assert error_of(await one(session, "pay")) == "CONFIRMATION_REQUIRED"
        [request] = await session.confirmations()
        _, warning, *_ = request.preview.splitlines()
        assert "may exist already" in warning
        [line] = await audited(app, "confirmation_requested")
        assert line["rule"] == "doubtful"


async def test_a_repeat_by_somebody_else_or_in_another_conversation_is_not_in_doubt(tmp_path: Path) -> None:
    workshop = await doubtful(tmp_path)
    async with talking(workshop.build(), grace_seconds=0.1) as (app, session, _):
        await one(session, "pay")
        other = await app.open(mode="text", user=ANN)
        await other.begin_turn("pay")
        assert error_of(await one(other, "pay")) == "OUTCOME_UNKNOWN"
        assert await other.confirmations() == []


async def test_a_write_that_is_meant_twice_in_one_message_is_not_in_doubt(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).writing(repeatable=True)
    async with talking(workshop.build()) as (_, session, _):
        answers = await session.answer([call("pay", id="a"), call("pay", id="b")])
    assert [error_of(answer) for answer in answers] == ["ok", "ok"]
    assert len(workshop.runs("pay")) == 2


ONCE_STUCK = """\
import asyncio
from pathlib import Path
from ambidex import ok

async def execute(args, context):
    been = Path({path!r})
    if not been.exists():
        been.touch()
        await asyncio.Event().wait()
    return ok({{}})
"""
"""The first time nobody learns whether it happened; later it ends well."""


def once_stuck(tmp_path: Path, **fields: Any) -> Workshop:
    code = ONCE_STUCK.format(path=str(tmp_path / "been"))
    return Workshop(tmp_path).writing(handler=code, timeoutMs=30, latencyBudgetMs=10, **fields)


async def test_a_repeat_that_ended_well_takes_nothing_from_the_doubt_about_the_first(tmp_path: Path) -> None:
    workshop = once_stuck(tmp_path, repeatable=True)
    async with talking(workshop.build(), grace_seconds=0.1) as (_, session, _):
        answers = await session.answer([call("pay", id="a"), call("pay", id="b")])
        assert [error_of(answer) for answer in answers] == ["OUTCOME_UNKNOWN", "ok"]
        await session.begin_turn("again")
        assert error_of(await one(session, "pay")) == "CONFIRMATION_REQUIRED"


async def test_once_the_user_has_approved_a_repeat_and_it_went_well_there_is_no_doubt_left(tmp_path: Path) -> None:
    async with talking(once_stuck(tmp_path).build(), grace_seconds=0.1) as (_, session, _):
        await one(session, "pay")
        await session.begin_turn("again")
        await one(session, "pay")
        [request] = await session.confirmations()
        assert error_of(await session.approve(request.token)) == "ok"
        await session.begin_turn("and again")
        assert error_of(await one(session, "pay")) == "ok"


async def test_a_tool_that_always_asks_warns_as_well(tmp_path: Path) -> None:
    workshop = once_stuck(tmp_path, requiresConfirmation=True)
    async with talking(workshop.build(), grace_seconds=0.1) as (_, session, _):
        for answer in ("OUTCOME_UNKNOWN", "ok"):
            await session.begin_turn("pay")
            await one(session, "pay")
            [request] = await session.confirmations()
            assert ("may exist already" in request.preview) is (answer == "ok")
            assert error_of(await session.approve(request.token)) == answer


async def test_a_request_that_waited_while_its_like_came_into_doubt_warns_from_then_on(tmp_path: Path) -> None:
    workshop = once_stuck(tmp_path).reading("mail", untrusted=True)
    async with talking(workshop.build(), grace_seconds=0.1) as (_, session, _):
        await one(session, "mail")
        before = request_id(await one(session, "pay"))
        await session.begin_turn("I want it: pay")
        assert error_of(await one(session, "pay")) == "OUTCOME_UNKNOWN"
        await session.begin_turn("again")
        asked = await one(session, "pay")
        assert request_id(asked) == before
        [request] = await session.confirmations()
        assert request.preview.split("\n")[1:2] == [IN_DOUBT]
        assert asked.error is not None
        assert asked.error.confirmation_request is not None
        assert asked.error.confirmation_request.preview == request.preview

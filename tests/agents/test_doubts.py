"""A write that took too long: the model is told that its end is not known, and, once it is, how it ended."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.agents.stage import Stage, answers_of, staged
from tests.support.apps import Workshop
from tests.support.trail import call_rows

from ambidex import Orchestrator
from ambidex.ledger.rows import CallState
from ambidex.testing.standins import Call, Calls, Say
from ambidex.transports.items import OutcomeItem

SLOW = """\
import asyncio
from pathlib import Path
from ambidex import ErrorType, fail, ok

async def execute(args, context):
    while not Path({gate!r}).exists():
        await asyncio.sleep(0.002)
    return {result}
"""
DONE = 'ok({"done": args["name"]})'
FAILED = 'fail(ErrorType.PERMANENT, "the account is closed")'
NOTHING = 'fail(ErrorType.TRANSIENT, "the network is down")'
PAY = Calls(Call("pay", {"name": "Ada"}))


def shop(folder: Path, result: str, **fields: Any) -> Workshop:
    code = SLOW.format(gate=str(folder / "gate"), result=result)
    return Workshop(folder).writing("pay", handler=code, timeoutMs=20, latencyBudgetMs=10, **fields)


async def ended(app: Orchestrator) -> None:
    """The write has come to its end, behind everybody's back."""
    async with asyncio.timeout(20):
        while any(row.state is CallState.UNKNOWN for row in await call_rows(app)):  # noqa: ASYNC110 - it is in the store
            await asyncio.sleep(0.002)


async def outcomes(stage: Stage) -> list[OutcomeItem]:
    return [item for item in await stage.chat.items() if isinstance(item, OutcomeItem)]


@pytest.mark.threat("I09")
@pytest.mark.parametrize(
    ("result", "told"),
    [(DONE, {"ok": True, "data": {"done": "Ada"}}), (FAILED, "PERMANENT"), (NOTHING, "TRANSIENT")],
)
async def test_the_late_end_of_a_write_is_told_once_with_the_users_next_words(
    tmp_path: Path, prompts: Path, result: str, told: Any
) -> None:
    script = [PAY, Say("I do not know."), Say("Still not."), Say("Now I do."), Say("Yes.")]
    async with staged(shop(tmp_path, result).build(), prompts, script) as stage:
        assert answers_of(await stage.say("pay Ada")) == ["OUTCOME_UNKNOWN"]
        await stage.say("and?")
        assert await outcomes(stage) == [], "there is nothing to tell yet"
        (tmp_path / "gate").touch()
        await ended(stage.app)
        await stage.say("and now?")
        [outcome] = await outcomes(stage)
        assert (outcome.name, outcome.late) == ("pay", True)
        assert outcome.body["error"]["type"] == told if isinstance(told, str) else outcome.body["data"] == told["data"]
        assert "of the earlier call" in stage.read()[-2]["content"], "before the user's words"
        await stage.say("sure?")
        assert len(await outcomes(stage)) == 1


async def test_an_approved_write_that_took_too_long_is_told_when_it_ends(tmp_path: Path, prompts: Path) -> None:
    workshop = shop(tmp_path, DONE, requiresConfirmation=True)
    async with staged(workshop.build(), prompts, [PAY, Say("Unknown."), Say("Done.")]) as stage:
        await stage.say("pay Ada")
        await stage.decide(True)
        await stage.go_on()
        (tmp_path / "gate").touch()
        await ended(stage.app)
        await stage.say("and now?")
        unknown, done = await outcomes(stage)
        assert (unknown.ok, unknown.late, done.ok, done.late) == (False, False, True, True)


async def test_an_end_between_the_answer_and_its_recording_is_not_missed(tmp_path: Path, prompts: Path) -> None:
    """The gate opens as soon as the answer is there, before the conversation has learnt of it."""
    async with staged(shop(tmp_path, DONE).build(), prompts, [PAY, Say("Hm."), Say("Done.")]) as stage:
        answer = stage.chat.session.answer

        async def slowly(*args: Any, **options: Any) -> Any:
            answers = await answer(*args, **options)
            (tmp_path / "gate").touch()
            await ended(stage.app)
            return answers

        stage.chat.session = _Slow(stage.chat.session, slowly)  # type: ignore[assignment]
        assert answers_of(await stage.say("pay Ada")) == ["OUTCOME_UNKNOWN"]
        await stage.say("and?")
        assert [(one.name, one.ok) for one in await outcomes(stage)] == [("pay", True)]


class _Slow:
    """A session whose answers take their time to arrive."""

    def __init__(self, session: Any, answer: Any) -> None:
        self._session = session
        self.answer = answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

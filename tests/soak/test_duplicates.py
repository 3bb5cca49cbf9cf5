"""Many at once, in several processes, over one store: the effect happens once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.support.apps import ANN, Workshop, call, error_of, running
from tests.support.soak import soak
from tests.support.workers import WorkerProcess, workers

PROCESSES, TOGETHER = 4, 64
HANDLER = """\
import asyncio
from pathlib import Path
from ambidex import ok

async def execute(args, context):
    with Path({path!r}).open("a") as effects:
        effects.write(args["name"] + "\\n")
    await asyncio.sleep(0.02)
    return ok({{"done": args["name"]}})
"""


def _workshop(folder: Path, **fields: object) -> Workshop:
    path = str(folder / "pay.effects")
    return Workshop(folder).writing("pay", handler=HANDLER.format(path=path), timeoutMs=20_000, **fields)


def _ask_all(team: list[WorkerProcess], **order: object) -> list[dict[str, object]]:
    for worker in team:
        worker.tell(**order, times=TOGETHER // len(team))
    return [answer for worker in team for answer in worker.hear()]


@pytest.mark.threat("I01")
async def test_64_duplicates_at_once_over_4_processes_run_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop, store, rounds = _workshop(tmp_path), tmp_path / "a.db", soak(3, 200)
    seen: Counter[str] = Counter()
    async with running(shop.build(), store=f"sqlite:{store}") as app:
        session = await app.open(mode="text", user=ANN)
        with workers(PROCESSES, shop.artifact, store, session) as team:
            for number in range(rounds):
                await session.begin_turn("pay")
                wanted = {"name": f"round {number}"}
                answers = _ask_all(team, call="pay", args=wanted, id=f"c{number}")
                assert len(answers) == TOGETHER
                for answer in answers:
                    assert answer["data"] == {"done": f"round {number}"} or answer["retryable"], answer
                seen.update("same" if answer["ok"] else "in progress" for answer in answers)
    assert Counter(shop.runs("pay")) == {f"round {number}": 1 for number in range(rounds)}
    with capsys.disabled():
        print(f"\nduplicates: {rounds} rounds of {TOGETHER} over {PROCESSES} processes, 1 run each; {dict(seen)}")


@pytest.mark.threat("C06", "C07")
async def test_64_approvals_at_once_over_4_processes_run_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop, store, rounds = _workshop(tmp_path, requiresConfirmation=True), tmp_path / "a.db", soak(3, 200)
    async with running(shop.build(), store=f"sqlite:{store}", config={"confirmation": {"hourly": 10_000}}) as app:
        session = await app.open(mode="text", user=ANN)
        with workers(PROCESSES, shop.artifact, store, session) as team:
            for number in range(rounds):
                await session.begin_turn("pay")
                [asked] = await session.answer([call("pay", {"name": f"round {number}"}, id=f"c{number}")])
                assert error_of(asked) == "CONFIRMATION_REQUIRED"
                [request] = await session.confirmations()
                answers = _ask_all(team, approve=request.token)
                assert len(answers) == TOGETHER
                assert all(answer["data"] == {"done": f"round {number}"} or answer["retryable"] for answer in answers)
    assert Counter(shop.runs("pay")) == {f"round {number}": 1 for number in range(rounds)}
    with capsys.disabled():
        print(f"\napprovals: {rounds} rounds of {TOGETHER} over {PROCESSES} processes, 1 run each")


@pytest.mark.threat("C08")
async def test_approval_raced_against_rejection_never_denies_what_happened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop, store, rounds, luck = (
        _workshop(tmp_path, requiresConfirmation=True),
        tmp_path / "a.db",
        soak(20, 1000),
        Random(7),
    )
    won: Counter[str] = Counter()
    async with running(shop.build(), store=f"sqlite:{store}", config={"confirmation": {"hourly": 10_000}}) as app:
        session = await app.open(mode="text", user=ANN)
        with workers(2, shop.artifact, store, session) as team:
            for number in range(rounds):
                await session.begin_turn("pay")
                await session.answer([call("pay", {"name": f"round {number}"}, id=f"c{number}")])
                [request] = await session.confirmations()
                approver, rejecter = luck.sample(team, 2)
                orders: list[tuple[WorkerProcess, dict[str, Any]]] = [
                    (approver, {"approve": request.token, "times": 1}),
                    (rejecter, {"reject": request.token}),
                ]
                for worker, order in luck.sample(orders, 2):
                    worker.tell(**order)
                [approved], [rejected] = approver.hear(), rejecter.hear()
                happened = f"round {number}" in shop.runs("pay")
                assert happened is bool(approved["ok"]), (approved, rejected)
                losers = {"CONFLICT"} if happened else {"CONFIRMATION_REJECTED"}
                assert rejected["error"] in losers
                assert approved["error"] in (None, "CONFLICT")
                won["approval" if happened else "rejection"] += 1
    assert set(Counter(shop.runs("pay")).values()) <= {1}
    with capsys.disabled():
        print(f"\napprove against reject: {rounds} races, {dict(won)}, never denied with an effect")

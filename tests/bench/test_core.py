"""`ambidex bench core` measures what it says: calls that ran, against goals, as figures and as tables."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ambidex.bench.core import GOALS, Sizes, holds, run
from ambidex.bench.core_calls import Refused, at_once, guarded, open_sessions
from ambidex.bench.core_durable import percentile
from ambidex.bench.core_duties import duties
from ambidex.bench.core_folders import INLINE, SUSPENDING, WRITING, registry_in
from ambidex.bench.core_table import core_table, duties_tables
from ambidex.orchestrator import Orchestrator

SMALL = Sizes(sessions=2, rounds=1, callers=3, durable=2, idle=5)


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    return run(SMALL)


def test_every_goal_has_a_figure_and_is_said_to_be_held_or_not(result: dict[str, Any]) -> None:
    assert set(result["held"]) == set(GOALS) == set(result["goals"])
    assert all(result["held"][name] == holds(name, result["figures"][name]) for name in GOALS)


def test_ratios_are_those_of_the_same_run(result: dict[str, Any]) -> None:
    figures = result["figures"]
    assert figures["guardedToBare"] == figures["guardedMicros"] / figures["bareMicros"]
    assert figures["suspendingToBare"] == figures["suspendingMicros"] / figures["bareMicros"]


def test_all_nine_bad_arguments_are_refused(result: dict[str, Any]) -> None:
    assert (result["figures"]["badArgumentsRefused"], result["figures"]["badArguments"]) == (9, 9)


DUTIES = {
    "express": ["arguments", "claim", "handle", "envelope", "end"],
    "long": ["parse", "validate", "decide", "handle", "finish", "encode"],
}


@pytest.mark.parametrize("way", DUTIES)
def test_every_duty_of_either_way_has_a_figure(result: dict[str, Any], way: str) -> None:
    *duties, between = result["duties"][way].items()
    assert [name for name, _ in duties] == DUTIES[way]
    assert sum(micros for _, micros in duties) > 0
    assert between[0] == "between"


async def test_a_call_that_did_not_take_the_lane_is_never_measured_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ambidex.session.lanes.has_lane", lambda *_: False)
    with pytest.raises(Refused, match="express lane"):
        await duties(registry_in(tmp_path), 2)


def test_the_tables_show_figures_beside_goals(result: dict[str, Any]) -> None:
    console = Console(width=120, record=True, file=StringIO())
    console.print(core_table(result), *duties_tables(result))
    text = console.export_text()
    assert f"{result['figures']['guardedToBare']:.2f}" in text
    assert "at least 45,000" in text
    assert "gates, claim and audit" in text
    assert "every gate is known to hold" in text


def test_a_goal_is_a_bound_from_above_or_from_below() -> None:
    assert holds("guardedToBare", 1.0)
    assert not holds("guardedToBare", 1.01)
    assert holds("callsPerCpuSecond", 45_000)
    assert not holds("callsPerCpuSecond", 44_999)


def test_the_build_sees_which_measured_handler_can_suspend(tmp_path: Path) -> None:
    registry = registry_in(tmp_path)
    assert [registry._tool(tool).spec.suspends for tool in (INLINE, SUSPENDING, WRITING)] == [False, True, False]


async def test_a_refused_call_is_never_taken_for_a_measured_one(tmp_path: Path) -> None:
    async with Orchestrator(registry_in(tmp_path), config={}) as app:
        sessions = await open_sessions(app, 1)
        assert await at_once(sessions) > 0
        await sessions[0].begin_turn("measure")
        with pytest.raises(Refused, match="NOT_FOUND"):
            await guarded(sessions, "no_such_tool")


def test_a_percentile_is_one_of_the_values() -> None:
    assert percentile([float(value) for value in range(1, 101)], 99) == 99
    assert percentile([3.0, 1.0, 2.0], 50) == 2
    assert percentile([7.0], 99) == 7

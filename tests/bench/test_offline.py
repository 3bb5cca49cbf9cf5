"""The figures that the offline provider is held to, on the whole and on the lines kept aside, at full size."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from ambidex.bench.offline import FILES, GOALS, measure
from ambidex.bench.offline_slots import right_slots
from ambidex.bench.offline_table import offline_table
from ambidex.cli.bench import command
from ambidex.errors import ConfigError
from ambidex.transports.items import Asked, StepItem

LINES = Path(__file__).parents[2] / "bench" / "offline"


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (LINES / f"{name}.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module", params=["auto", "none"])
def figures(request: pytest.FixtureRequest) -> dict[str, Any]:
    return measure(LINES, request.param)


@pytest.mark.parametrize("part", ["whole", "held"])
@pytest.mark.parametrize("figure", list(GOALS))
def test_every_goal_is_held(figures: dict[str, Any], part: str, figure: str) -> None:
    score = figures[part][figure]
    assert score["held"], score


def test_every_line_was_judged(figures: dict[str, Any]) -> None:
    assert figures["whole"]["tool"]["of"] >= 200
    counted = {name: figures["whole"][name]["of"] for name in ("abstained", "answered", "rudeBlocked")}
    assert counted == {"abstained": 50, "answered": 30, "rudeBlocked": 30}


def test_the_table_shows_both_parts_beside_the_goals(figures: dict[str, Any]) -> None:
    console = Console(width=120, record=True, file=StringIO())
    console.print(offline_table(figures))
    shown = console.export_text()
    assert f"{figures['held']['tool']['right']} of {figures['held']['tool']['of']}" in shown
    assert "at least 85%" in shown


@pytest.mark.parametrize("name", FILES)
def test_a_fifth_is_kept_aside_by_the_hash_of_the_text(name: str) -> None:
    for rows in _groups(_read(name)):
        order = sorted(rows, key=lambda row: hashlib.sha256(row["text"].encode()).hexdigest())
        assert [row["text"] for row in order if row.get("held")] == [row["text"] for row in order[: len(rows) // 5]]


def _groups(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Lines for tools that are not shipped yet are a set of their own."""
    return [[row for row in rows if ("needs" in row) == later] for later in (False, True)]


def test_there_are_as_many_lines_as_promised_and_none_twice() -> None:
    counts = {name: len([row for row in _read(name) if "needs" not in row]) for name in FILES}
    assert counts == {"route": 200, "offtopic": 50, "abusive": 30, "rude": 30}
    assert max(Counter(row["text"] for name in FILES for row in _read(name)).values()) == 1


@pytest.mark.parametrize(
    ("args", "expected", "score"),
    [
        ({"query": "the boat"}, {"query": {"has": ["Boat"]}}, (1, 1)),
        ({"query": "hi, the boat"}, {"query": {"has": ["boat"], "lacks": ["hi,"]}}, (0, 1)),
        ({"value": "2026-03-02T10:00:00+01:00"}, {"value": "2026-03-02T09:00:00Z"}, (1, 1)),
        ({"query": "boat", "top_k": 3}, {"query": {"has": ["boat"]}}, (1, 2)),
        ({}, {}, (1, 1)),
        ({"reason": "x"}, {}, (0, 2)),
    ],
)
def test_slots_are_right_when_they_are_equal_and_nothing_is_made_up(
    args: dict[str, Any], expected: dict[str, Any], score: tuple[int, int]
) -> None:
    step = StepItem(provider="offline", calls=(Asked(id="c1", name="t", args=json.dumps(args)),))
    assert right_slots({"slots": expected}, step, None) == score


def test_being_asked_back_for_the_right_slot_is_right() -> None:
    step, asks = StepItem(provider="offline"), {"slot": "value"}
    assert right_slots({"slots": {}, "asks": "value"}, step, asks) == (1, 1)
    assert right_slots({"slots": {}, "asks": "text"}, step, asks) == (0, 1)
    assert right_slots({"slots": {}}, step, asks) == (0, 1)


def test_a_folder_without_lines_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"route\.jsonl is missing"):
        measure(tmp_path, "none")


def test_the_command_prints_the_figures_as_json() -> None:
    done = CliRunner().invoke(command, ["offline", "--lines", str(LINES), "--embedder", "none", "--json"])
    told = json.loads(done.stdout)
    assert (told["ok"], told["bench"], told["embedder"]) == (True, "offline", "none")
    assert set(told["whole"]) == set(told["held"]) == set(GOALS)

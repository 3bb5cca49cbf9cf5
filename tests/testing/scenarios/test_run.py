"""Many scenarios: each has its verdict, whatever becomes of the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.folders import write_tool
from tests.testing.scenarios.conftest import Write

from ambidex.testing.scenarios import ToolReport, run_scenarios

ADA = {"name": "Ada"}
HELLO: dict[str, Any] = {"ok": True, "data": {"text": "Hello Ada"}}


@pytest.fixture
def tools(tmp_path: Path, write: Write) -> Path:
    folder = write_tool(tmp_path / "tools", "greet")
    write(folder, "hello", call=ADA, expect=HELLO)
    write(folder, "nameless", expect={"ok": False, "error": {"type": "VALIDATION"}})
    return tmp_path / "tools"


def only(reports: list[ToolReport]) -> ToolReport:
    [report] = reports
    return report


def test_scenarios_that_hold_pass_and_the_guides_failure_modes_are_counted(tools: Path) -> None:
    report = only(run_scenarios(tools))
    assert report.passed
    assert [verdict.name for verdict in report.verdicts] == ["hello", "nameless"]
    assert [(mode.type, mode.scenarios) for mode in report.modes] == [("VALIDATION", ("nameless",))]


def test_a_file_that_cannot_be_run_fails_alone(tools: Path, write: Write) -> None:
    write(tools / "greet", "bad", given={})
    write(tools / "greet", "odd", given={"mode": "text", "config": {"nonsense": 1}})
    report = only(run_scenarios(tools))
    assert not report.passed
    problems = {verdict.name: verdict.problem for verdict in report.verdicts if not verdict.passed}
    assert problems["bad"].startswith("/given: ")
    assert problems["odd"].startswith("/given/config: ")
    assert len(problems) == 2


def test_a_tool_that_does_not_build_fails_alone(tools: Path) -> None:
    write_tool(tools, "broken", handler="no Python")
    broken, greet = run_scenarios(tools)
    assert not broken.passed
    assert "tools/broken/handler.py:1" in broken.problems[0]
    assert greet.passed


def test_a_handler_that_crashes_says_where_and_why(tools: Path) -> None:
    write_tool(tools, "greet", handler="async def execute(args, context):\n    return {}['colour']\n")
    verdict = only(run_scenarios(tools)).verdicts[0]
    assert [difference.pointer for difference in verdict.differences] == ["/ok", "/error"]
    assert any("handler.py:2" in entry for entry in verdict.log)
    assert "KeyError: 'colour'" in verdict.log


def test_only_the_named_tools_are_run(tools: Path) -> None:
    write_tool(tools, "wave")
    assert [report.tool for report in run_scenarios(tools, ["wave"])] == ["wave"]


def test_progress_counts_every_scenario(tools: Path) -> None:
    told: list[tuple[int, int, str]] = []
    run_scenarios(tools, progress=lambda *step: told.append(step))
    assert told == [(1, 2, "greet/hello"), (2, 2, "greet/nameless")]


def test_an_update_writes_what_came_instead_and_leaves_alone_what_held(tools: Path) -> None:
    hello, nameless = (tools / "greet" / "scenarios" / f"{name}.json" for name in ("hello", "nameless"))
    before = hello.read_bytes(), nameless.read_bytes()
    hello.write_bytes(before[0].replace(b"Hello Ada", b"Hi Ada"))
    report = only(run_scenarios(tools, update=True))
    assert [verdict.name for verdict in report.verdicts if verdict.updated] == ["hello"]
    assert report.passed
    assert (hello.read_bytes(), nameless.read_bytes()) == before


def test_a_scenario_without_expectations_gets_all_that_was_seen(tools: Path, write: Write) -> None:
    path = write(tools / "greet", "new", call=ADA, expect=None)
    assert not only(run_scenarios(tools)).passed
    run_scenarios(tools, update=True)
    assert json.loads(path.read_text())["expect"] == {**HELLO, "intents": [], "notices": [], "sent": [], "audit": []}
    assert only(run_scenarios(tools)).passed

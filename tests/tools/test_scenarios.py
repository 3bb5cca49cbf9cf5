"""Every scenario of every shipped tool holds, and every way to fail that a guide names has one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.tools.plain_context import Traces
from tests.tools.running import FOLDERS, TOOLS, Outcome, differences, includes, run

SCENARIOS = sorted(TOOLS.glob("*/scenarios/*.json"))
GIVEN = {"mode", "user", "config", "now", "turn", "state", "capabilities", "missing"}
CAPABILITIES = {"messaging", "voice", "blocks", "registry"}
EXPECT = {"ok", "data", "dataIncludes", "error", "intents", "notices", "sent", "audit"}

DOCUMENTATION = (TOOLS.parent / "docs" / "scenarios.md").read_text("utf-8")


def read(path: Path) -> dict[str, Any]:
    scenario: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return scenario


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: f"{path.parts[-3]}:{path.stem}")
async def test_the_scenario_holds(path: Path) -> None:
    scenario = read(path)
    outcome = await run(path.parts[-3], scenario["call"], scenario["given"])
    assert differences(outcome, scenario["expect"]) == [], scenario["about"]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: f"{path.parts[-3]}:{path.stem}")
def test_the_scenario_is_written_in_the_documented_format(path: Path) -> None:
    scenario = read(path)
    assert set(scenario) == {"about", "given", "call", "expect"}
    assert set(scenario["given"]) <= GIVEN
    assert "mode" in scenario["given"]
    assert set(scenario["expect"]) <= EXPECT
    assert "ok" in scenario["expect"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_failure_mode_of_the_guide_has_a_scenario(folder: str) -> None:
    guide = (TOOLS / folder / "guide.md").read_text("utf-8")
    named = set(re.findall(r"^- \*\*([A-Z_]+)\*\*:", guide, re.MULTILINE))
    shown = {
        read(path)["expect"].get("error", {}).get("type") for path in (TOOLS / folder / "scenarios").glob("*.json")
    }
    assert named, "a guide names at least one"
    assert named <= shown


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_tool_has_a_scenario_that_succeeds(folder: str) -> None:
    assert any(read(path)["expect"]["ok"] for path in (TOOLS / folder / "scenarios").glob("*.json"))


async def test_the_scenario_in_the_documentation_is_one_that_holds() -> None:
    [block] = re.findall(r"^```json\n(.*?)^```", DOCUMENTATION, re.MULTILINE | re.DOTALL)
    scenario = json.loads(block)
    outcome = await run("format-datetime", scenario["call"], scenario["given"])
    assert differences(outcome, scenario["expect"]) == []


def test_the_documentation_lists_every_member_of_a_scenario() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", DOCUMENTATION, re.MULTILINE)
    assert set(rows) == {"about", "given", "call", "expect"} | GIVEN | EXPECT | CAPABILITIES


def test_a_wrong_expectation_is_noticed() -> None:
    outcome = Outcome({"ok": True, "data": {"a": 1, "b": [1, 2]}}, Traces(sent=[{"type": "x"}]))
    assert differences(outcome, {"ok": True, "data": {"a": 1, "b": [1, 2]}, "sent": [{"type": "x"}]}) == []
    wrong: dict[str, Any]
    for wrong in (
        {"ok": False},
        {"data": {"a": 1}},
        {"dataIncludes": {"a": 2}},
        {"dataIncludes": {"b": [1]}},
        {"error": {"type": "VALIDATION"}},
        {"intents": [{"type": "SUPPRESS_AUDIO"}]},
        {"sent": []},
        {"audit": [{"event": "x"}]},
    ):
        assert len(differences(outcome, wrong)) == 1, wrong


def test_a_part_includes_itself_and_nothing_else() -> None:
    assert includes({"a": {"b": 1, "c": 2}}, {"a": {"c": 2}})
    assert not includes({"a": None}, {"a": {"c": 2}})
    assert not includes([1, 2], [2, 1])

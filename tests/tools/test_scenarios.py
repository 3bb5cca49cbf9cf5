"""Every scenario of every shipped tool holds, and every way to fail that a guide names has one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.tools.calling import FOLDERS, TOOLS, run, stage_of

from ambidex.contracts import schemas
from ambidex.testing.scenarios import differences, find_scenarios, play, read_scenario
from ambidex.testing.scenarios.coverage import failure_modes

SCENARIOS = [path for folder in FOLDERS for path in find_scenarios(TOOLS / folder)]
DOCUMENTATION = (TOOLS.parent / "docs" / "scenarios.md").read_text("utf-8")


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: f"{path.parts[-3]}:{path.stem}")
async def test_the_scenario_holds(path: Path) -> None:
    scenario = read_scenario(path)
    outcome = await play(stage_of(path.parts[-3]), scenario)
    assert differences(outcome, scenario.expect) == [], scenario.about


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_failure_mode_of_the_guide_has_a_scenario(folder: str) -> None:
    guide = (TOOLS / folder / "guide.md").read_text("utf-8")
    modes = failure_modes(guide, map(read_scenario, find_scenarios(TOOLS / folder)))
    assert modes, "a guide names at least one"
    assert [mode.type for mode in modes if not mode.scenarios] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_tool_has_a_scenario_that_succeeds(folder: str) -> None:
    assert any(read_scenario(path).expect["ok"] for path in find_scenarios(TOOLS / folder))


async def test_the_scenario_in_the_documentation_is_one_that_holds() -> None:
    [block] = re.findall(r"^```json\n(.*?)^```", DOCUMENTATION, re.MULTILINE | re.DOTALL)
    scenario = json.loads(block)
    outcome = await run("format-datetime", scenario["call"], scenario["given"])
    assert differences(outcome, scenario["expect"]) == []


def test_the_documentation_lists_every_member_of_a_scenario() -> None:
    schema = schemas.schema(schemas.SCENARIO)
    parts = schema["$defs"]
    capabilities = {name for name, rules in parts["capabilities"]["properties"].items() if rules is not False}
    members = {*schema["required"], *parts["given"]["properties"], *parts["expect"]["properties"], *capabilities}
    assert set(re.findall(r"^\| `(\w+)` \|", DOCUMENTATION, re.MULTILINE)) == members

"""Scenario files: one call of one tool, written down with what must come of it.

read.py          a file -> Scenario
stage.py         a tool folder -> a registry of its own
capabilities.py  how capabilities answer
kb.py            a knowledge base that finds what was written down
overhear.py      what is logged meanwhile
play.py          a Scenario on a stage -> Outcome, through the whole pipeline
compare.py       Outcome and `expect` -> what differs, by JSON pointer
coverage.py      which ways to fail that a guide names are shown
update.py        `expect`, written anew from what happened
run.py           all of it, for many tools
telling.py       what came of it, in words
"""

from ambidex.testing.scenarios.compare import Difference, differences
from ambidex.testing.scenarios.play import Outcome, play
from ambidex.testing.scenarios.read import Scenario, ScenarioError, find_scenarios, read_scenario
from ambidex.testing.scenarios.run import ToolReport, Verdict, run_scenarios
from ambidex.testing.scenarios.stage import Stage, staged

__all__ = [
    "Difference",
    "Outcome",
    "Scenario",
    "ScenarioError",
    "Stage",
    "ToolReport",
    "Verdict",
    "differences",
    "find_scenarios",
    "play",
    "read_scenario",
    "run_scenarios",
    "staged",
]

"""The scenarios of many tools, one after another. One that cannot be run fails, and the others go on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ambidex.authoring.folder import tool_folders
from ambidex.contracts.problem import Severity
from ambidex.errors import BuildError
from ambidex.testing.scenarios.compare import Difference, differences
from ambidex.testing.scenarios.coverage import FailureMode, failure_modes
from ambidex.testing.scenarios.overhear import overheard
from ambidex.testing.scenarios.play import play
from ambidex.testing.scenarios.read import Scenario, ScenarioError, find_scenarios, read_scenario
from ambidex.testing.scenarios.stage import Stage, staged
from ambidex.testing.scenarios.update import first, rewrite, updated

Progress = Callable[[int, int, str], None]
"""Done, total, and the name of the last one done."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one file fared."""

    path: Path
    about: str = ""
    differences: Sequence[Difference] = ()
    problem: str = ""
    """Why it could not be run at all."""
    log: Sequence[str] = ()
    """What the pipeline logged meanwhile, such as why the handler crashed."""
    updated: bool = False
    seconds: float = 0.0

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def passed(self) -> bool:
        return not self.differences and not self.problem


@dataclass(slots=True)
class ToolReport:
    """How one tool fared."""

    tool: str
    """Its folder's name."""
    verdicts: list[Verdict] = field(default_factory=list)
    modes: list[FailureMode] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Why it does not build; then nothing of it was run."""

    @property
    def passed(self) -> bool:
        return not self.problems and all(verdict.passed for verdict in self.verdicts)


def run_scenarios(
    tools: Path, names: Sequence[str] = (), *, update: bool = False, progress: Progress | None = None
) -> list[ToolReport]:
    """Those of all tool folders, or of the named ones. Must not be called from inside an event loop."""
    folders = [folder.path for folder in tool_folders(tools) if not names or folder.name in names]
    total = sum(len(find_scenarios(folder)) for folder in folders)
    done = 0

    def tell(verdict: Verdict) -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, total, f"{verdict.path.parts[-3]}/{verdict.name}")

    return [_run_tool(folder, update, tell) for folder in folders]


def _run_tool(folder: Path, update: bool, tell: Callable[[Verdict], None]) -> ToolReport:
    report = ToolReport(folder.name)
    try:
        with staged(folder) as stage:
            for path in find_scenarios(folder):
                report.verdicts.append(run_one(stage, path, update=update))
                tell(report.verdicts[-1])
            guide = stage.registry().documentation(stage.tool)
    except BuildError as error:
        report.problems = [str(problem) for problem in error.problems if problem.severity is Severity.ERROR]
        return report
    except ScenarioError as error:
        report.problems = [str(error)]
        return report
    report.modes = failure_modes(guide, _readable(find_scenarios(folder)))
    return report


def run_one(stage: Stage, path: Path, *, update: bool = False) -> Verdict:
    """One file; with `update`, what it expects is written anew where something else came of it."""
    began = time.perf_counter()
    try:
        scenario = read_scenario(path, unwritten=update)
        with overheard() as log:
            outcome = asyncio.run(play(stage, scenario))
    except ScenarioError as error:
        where = f"{error.pointer}: " if error.pointer else ""
        return Verdict(path, problem=f"{where}{error.message}", seconds=time.perf_counter() - began)
    seconds = time.perf_counter() - began
    found = differences(outcome, scenario.expect) if scenario.expect else []
    if update and (found or not scenario.expect):
        rewrite(path, updated(scenario.expect, outcome) if scenario.expect else first(outcome))
        return Verdict(path, scenario.about, updated=True, seconds=seconds)
    return Verdict(path, scenario.about, found, log=log, seconds=seconds)


def _readable(paths: Sequence[Path]) -> list[Scenario]:
    scenarios = []
    for path in paths:
        try:
            scenarios.append(read_scenario(path))
        except ScenarioError:
            continue  # its own verdict says so
    return scenarios

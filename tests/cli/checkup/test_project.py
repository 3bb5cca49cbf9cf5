"""What the doctor says about a project, finding by finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.cli.checkup.finding import State
from ambidex.cli.checkup.project import project as findings_of
from ambidex.config import Config


def states(folder: Path, **overrides: str) -> dict[str, State]:
    config = Config.load(folder / "ambidex.toml", environ={}, overrides=overrides)
    return {finding.name: finding.state for finding in findings_of(config)}


def test_a_built_project_is_well(built: Path) -> None:
    assert set(states(built).values()) == {State.OK}


@pytest.mark.parametrize(("environment", "state"), [("development", State.NOTE), ("production", State.BROKEN)])
def test_an_artifact_that_is_not_there_matters_in_production(project: Path, environment: str, state: State) -> None:
    found = states(project, environment=environment)
    assert found["artifact"] is state
    assert "freshness" not in found, "there is nothing to compare"


def test_without_a_tools_folder_freshness_is_not_judged(built: Path) -> None:
    found = states(built, tools="elsewhere")
    assert found["tools"] is State.BROKEN
    assert found["artifact"] is State.OK
    assert "freshness" not in found


def test_tools_that_do_not_build_are_counted(built: Path) -> None:
    (built / "tools" / "opening-hours" / "handler.py").unlink()
    config = Config.load(built / "ambidex.toml", environ={})
    [freshness] = [finding for finding in findings_of(config) if finding.name == "freshness"]
    assert (freshness.state, freshness.detail) == (State.BROKEN, "the tools do not build: 1 error")

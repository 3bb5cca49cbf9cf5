"""A stage: one tool, built alone, with those that its scenarios bring."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.folders import write_tool

from ambidex.errors import BuildError
from ambidex.testing.scenarios import ScenarioError, staged


def test_a_tool_is_built_alone_so_a_broken_neighbour_does_not_matter(tmp_path: Path) -> None:
    folder = write_tool(tmp_path / "tools", "greet")
    write_tool(tmp_path / "tools", "broken", handler="no Python")
    with staged(folder) as stage:
        assert stage.registry().tool_ids() == ("greet",)


def test_tools_in_the_scenarios_folder_are_built_beside_it(tmp_path: Path) -> None:
    folder = write_tool(tmp_path / "tools", "greet")
    write_tool(folder / "scenarios" / "tools", "wave")
    with staged(folder) as stage:
        assert stage.tool == "greet"
        assert stage.registry().tool_ids() == ("greet", "wave")


def test_a_tool_that_does_not_build_is_named_as_in_the_project(tmp_path: Path) -> None:
    folder = write_tool(tmp_path / "my-tools", "greet", handler="no Python")
    with pytest.raises(BuildError) as caught, staged(folder):
        pass
    assert {problem.path for problem in caught.value.problems} == {"my-tools/greet/handler.py"}


def test_a_tool_beside_it_has_a_name_of_its_own(tmp_path: Path) -> None:
    folder = write_tool(tmp_path / "tools", "greet")
    write_tool(folder / "scenarios" / "tools", "greet")
    with pytest.raises(ScenarioError, match="scenarios/tools/greet: has the name"), staged(folder):
        pass


def test_nothing_is_left_behind_and_nothing_is_written_into_the_tool(tmp_path: Path) -> None:
    folder = write_tool(tmp_path / "tools", "greet")
    before = sorted(tmp_path.rglob("*"))
    with staged(folder) as stage:
        place = stage.folder
        assert place.is_dir()
    assert not place.exists()
    assert sorted(tmp_path.rglob("*")) == before

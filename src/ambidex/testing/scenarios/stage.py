"""One tool, built alone: what breaks another tool breaks nothing here.

Tool folders in `scenarios/tools/` are built beside it. They exist for scenarios only: tools to describe, or to call.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ambidex.authoring.folder import UNREAD
from ambidex.compiler.compile import build
from ambidex.errors import BuildError
from ambidex.registry.load import load
from ambidex.registry.registry import Registry
from ambidex.testing.scenarios.read import ScenarioError

COMPANIONS = "tools"
"""The folder in `scenarios/`."""


@dataclass(frozen=True, slots=True)
class Stage:
    tool: str
    """Its id."""
    folder: Path
    """Of a copy, with the artifact and an empty configuration: a scenario means the same in every project."""

    @property
    def config(self) -> Path:
        return self.folder / "ambidex.toml"

    def registry(self) -> Registry:
        """Loaded anew for every scenario, so that no module remembers the one before."""
        return load(self.folder / "tool_registry.json")


@contextmanager
def staged(folder: Path) -> Iterator[Stage]:
    """A stage for the scenarios of one tool folder; raises `BuildError`, or `ScenarioError` over what it brings."""
    source = folder.resolve()
    with tempfile.TemporaryDirectory(prefix="ambidex-scenarios-") as place:
        stage = Stage(source.name.replace("-", "_"), Path(place))
        tools = stage.folder / source.parent.name
        _copy(source, tools)
        for companion in sorted(source.glob(f"{UNREAD}/{COMPANIONS}/*/")):
            if companion.name == source.name:
                raise ScenarioError(companion, "", "has the name of the tool that it is to be built beside")
            _copy(companion, tools)
        _build(stage, tools)
        stage.config.touch()
        yield stage


def _build(stage: Stage, tools: Path) -> None:
    """Problems name the files as they are called in the project, not those of the copy."""
    try:
        build(tools, stage.folder / "tool_registry.json")
    except BuildError as error:
        here = f"{stage.folder.as_posix()}/"
        problems = [replace(problem, path=problem.path.removeprefix(here)) for problem in error.problems]
        raise BuildError(problems) from None


def _copy(folder: Path, tools: Path) -> None:
    def left_out(directory: str, names: list[str]) -> set[str]:
        return {UNREAD, "__pycache__"} & set(names) if os.path.samefile(directory, folder) else {"__pycache__"}

    shutil.copytree(folder, tools / folder.name, symlinks=True, ignore=left_out)

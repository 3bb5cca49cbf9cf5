"""Scenario files as pytest items: `pytest --ambidex`, or `ambidex_tools = "tools"` in the project's configuration.

Without either it does nothing and imports nothing of Ambidex. The names of the hooks are pytest's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ambidex.testing.scenarios.run import Verdict
    from ambidex.testing.scenarios.stage import Stage

_INI = "ambidex_tools"
_DEFAULT = "tools"
_ASIDE = "scenarios"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ambidex")
    group.addoption("--ambidex", action="store_true", help=f"run the scenarios of the tools in {_INI}")
    parser.addini(_INI, f"folder of tool folders whose scenarios are run (with --ambidex: {_DEFAULT})", default="")


def pytest_configure(config: pytest.Config) -> None:
    tools = _tools(config)
    if tools is None:
        return
    config.stash[_STAGES] = Stages()
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    if not named and tools.is_dir() and not any(tools.is_relative_to(Path(arg).absolute()) for arg in config.args):
        config.args.append(str(tools))


def pytest_unconfigure(config: pytest.Config) -> None:
    if _STAGES in config.stash:
        config.stash[_STAGES].close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    tools = _tools(parent.config)
    beside = file_path.suffix == ".json" and file_path.parent.name == _ASIDE
    if tools is None or not beside or file_path.parents[2] != tools:
        return None
    return ScenarioFile.from_parent(parent, path=file_path)


def _tools(config: pytest.Config) -> Path | None:
    """The folder, or None in a project that does not ask for this."""
    named: str = config.getini(_INI)
    if not named and not config.getoption("--ambidex"):
        return None
    return (config.rootpath / (named or _DEFAULT)).absolute()


class Stages:
    """A tool is built once in a run, by the first of its scenarios."""

    def __init__(self) -> None:
        self._built: dict[Path, Stage] = {}
        self._open = ExitStack()

    def of(self, folder: Path) -> Stage:
        from ambidex.testing.scenarios.stage import staged

        if folder not in self._built:
            self._built[folder] = self._open.enter_context(staged(folder))
        return self._built[folder]

    def close(self) -> None:
        self._open.close()


_STAGES = pytest.StashKey[Stages]()


class ScenarioFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        yield ScenarioItem.from_parent(self, name=self.path.stem)


class ScenarioFailed(Exception):
    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict


class ScenarioItem(pytest.Item):
    def runtest(self) -> None:
        from ambidex.testing.scenarios.run import run_one

        stage = self.config.stash[_STAGES].of(self.path.parents[1])
        verdict = run_one(stage, self.path)
        if not verdict.passed:
            raise ScenarioFailed(verdict)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from ambidex.errors import AmbidexError
        from ambidex.testing.scenarios.telling import told

        if isinstance(excinfo.value, ScenarioFailed):
            return "\n".join(told(excinfo.value.verdict))
        if isinstance(excinfo.value, AmbidexError):
            return f"the tool cannot be built for its scenarios: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"{self.path.parents[1].name}: {self.name}"

"""The pytest plugin, in runs of pytest of its own: scenarios are tests where a project asks for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.folders import write_tool

PLUGIN = "ambidex.testing.pytest_plugin"


def scenario(tools: Path, name: str, expected: str) -> None:
    document: dict[str, Any] = {"about": "Ada is greeted.", "given": {"mode": "text"}, "call": {"name": "Ada"}}
    path = tools / "greet" / "scenarios" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**document, "expect": {"ok": True, "data": {"text": expected}}}))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_tool(tmp_path / "tools", "greet")
    scenario(tmp_path / "tools", "good", "Hello Ada")
    scenario(tmp_path / "tools", "bad", "Hi Ada")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_own.py").write_text("def test_own() -> None:\n    pass\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = tests\n")
    return tmp_path


def run_pytest(project: Path, *args: str, code: int) -> str:
    """Plugins that happen to be installed are left out, ours is named: the same run wherever this is."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", PLUGIN, *args]
    ended = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended.stdout + ended.stderr
    return ended.stdout


def test_a_project_that_does_not_ask_for_it_does_not_notice_it(project: Path) -> None:
    assert "1 passed" in run_pytest(project, code=0)
    assert "no tests ran" in run_pytest(project, "tools", code=5)


@pytest.mark.parametrize("way", ["option", "ini"])
def test_every_scenario_is_a_test_with_the_differences_of_the_command(project: Path, way: str) -> None:
    if way == "ini":
        with (project / "pytest.ini").open("a") as ini:
            ini.write("ambidex_tools = tools\n")
    said = run_pytest(project, *(["--ambidex"] if way == "option" else []), code=1)
    assert "1 failed, 2 passed" in said
    assert "tools/greet/scenarios/good.json::good PASSED" in said
    assert 'Ada is greeted.\n/data/text\n  expected  "Hi Ada"\n  got       "Hello Ada"\n' in said
    assert "Traceback" not in said


def test_one_scenario_can_be_named(project: Path) -> None:
    assert "1 passed" in run_pytest(project, "--ambidex", "tools/greet/scenarios/good.json", code=0)


def test_named_tests_are_run_alone(project: Path) -> None:
    assert "1 passed" in run_pytest(project, "--ambidex", "tests/test_own.py", code=0)


def test_a_folder_that_is_searched_anyway_is_searched_once(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\nambidex_tools = tools\n")
    assert "1 failed, 2 passed" in run_pytest(project, code=1)


def test_a_tool_that_does_not_build_fails_each_of_its_scenarios_and_says_why(project: Path) -> None:
    write_tool(project / "tools", "greet", handler="no Python")
    said = run_pytest(project, "--ambidex", code=1)
    assert "2 failed, 1 passed" in said
    assert "the tool cannot be built for its scenarios" in said
    assert "tools/greet/handler.py:1" in said


def test_loading_the_plugin_loads_nothing_else_of_the_package() -> None:
    program = f"import sys, {PLUGIN}; print(*(name for name in sys.modules if name.startswith('ambidex.')))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) == {"ambidex.testing", PLUGIN}

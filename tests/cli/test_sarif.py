"""SARIF as code hosts read it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from ambidex.cli.sarif import sarif
from ambidex.compiler.rules import RULES
from ambidex.contracts.problem import Problem, Severity


def test_a_path_is_a_uri() -> None:
    found = Problem("AX000", Severity.ERROR, "tools/a/my file.md", 1, 1, "is wrong", "mend it")
    [result] = sarif([found])["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "tools/a/my%20file.md"


def test_a_problem_becomes_a_result_at_its_place() -> None:
    code = next(iter(RULES))
    found = Problem(code, Severity.WARNING, "tools/a/guide.md", 7, 3, "is wrong", "mend it")
    [run] = sarif([found, found])["runs"]
    [rule] = run["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == RULES[code].title
    first, second = run["results"]
    assert first == second
    assert first["ruleId"] == rule["id"] == code
    assert first["ruleIndex"] == 0
    assert first["level"] == "warning"
    assert first["message"]["text"] == "is wrong; mend it"
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "tools/a/guide.md"
    assert place["region"] == {"startLine": 7, "startColumn": 3}


def test_places_begin_at_one_even_for_problems_of_a_whole_file() -> None:
    found = Problem("AX000", Severity.ERROR, "tools", 0, 0, "is missing", "make it")
    [result] = sarif([found])["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1, "startColumn": 1}


def test_build_and_lint_write_it(run: Callable[..., Result], project: Path) -> None:
    (project / "tools" / "opening-hours" / "handler.py").unlink()
    for command in ("build", "lint"):
        run(command, "--sarif", f"{command}.sarif", code=1)
        document = json.loads((project / f"{command}.sarif").read_text())
        assert document["version"] == "2.1.0"
        assert {result["ruleId"] for result in document["runs"][0]["results"]} == {"AX005"}


def test_a_clean_run_is_an_empty_list(run: Callable[..., Result], project: Path) -> None:
    document = json.loads(run("lint", "--sarif", "-").stdout)
    assert document["runs"][0]["results"] == []


def test_on_stdout_it_stands_alone(run: Callable[..., Result], project: Path) -> None:
    (project / "tools" / "opening-hours" / "handler.py").unlink()
    result = run("lint", "--sarif", "-", code=1)
    assert json.loads(result.stdout)["runs"][0]["results"]
    assert "AX005" in result.stderr

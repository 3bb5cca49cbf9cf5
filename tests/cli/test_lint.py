"""`ambidex lint`: problems as results, and the reasons for rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from ambidex.compiler.rules import RULES

Run = Callable[..., Result]


@pytest.fixture
def two_mistakes(project: Path, run: Run) -> Path:
    run("new", "count-words", "--category", "utility")
    (project / "tools" / "opening-hours" / "handler.py").unlink()
    (project / "tools" / "count-words" / "guide.md").unlink()
    return project


def test_clean_tools_have_no_problems_and_nothing_is_written(run: Run, project: Path) -> None:
    result = run("lint", "--strict")
    assert (result.stdout, result.stderr) == ("", "no problems\n")
    assert not (project / "tool_registry.json").exists()


def test_problems_are_results_on_stdout(run: Run, two_mistakes: Path) -> None:
    result = run("lint", code=1)
    assert [line.split()[1] for line in result.stdout.splitlines()] == ["AX003", "AX005"]
    assert result.stderr.startswith("2 errors; ")


@pytest.mark.parametrize("name", ["count-words", "count_words", "tools/count-words"])
def test_one_tool_can_be_looked_at_alone(run: Run, two_mistakes: Path, name: str) -> None:
    [line] = run("lint", name, code=1).stdout.splitlines()
    assert line.startswith("tools/count-words")


def test_the_tools_folder_itself_means_everything(run: Run, two_mistakes: Path) -> None:
    assert len(run("lint", "tools", code=1).stdout.splitlines()) == 2


def test_an_unknown_tool_is_answered_with_the_nearest(run: Run, two_mistakes: Path) -> None:
    assert "did you mean 'count-words'?" in run("lint", "count-word", code=2).stderr


def test_a_path_outside_the_tools_folder_is_wrong_usage(run: Run, two_mistakes: Path) -> None:
    assert "no path inside" in run("lint", "prompts", code=2).stderr


def test_json_has_the_problems(run: Run, two_mistakes: Path) -> None:
    document = json.loads(run("lint", "--json", code=1).stdout)
    assert document["ok"] is False
    assert [problem["code"] for problem in document["problems"]] == ["AX003", "AX005"]


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_every_rule_can_be_explained(run: Run, rule: object) -> None:
    code, why, mend = (getattr(rule, name) for name in ("code", "why", "mend"))
    text = run("lint", "--explain", code).stdout
    assert text.startswith(f"{code} ")
    assert why in text
    assert mend in text


def test_a_rule_is_found_by_name_and_in_any_case(run: Run) -> None:
    rule = RULES["AX001"]
    assert run("lint", "--explain", rule.name).stdout == run("lint", "--explain", "ax001").stdout
    assert json.loads(run("lint", "--explain", "AX001", "--json").stdout)["rule"]["why"] == rule.why


def test_an_unknown_rule_is_answered_with_the_nearest(run: Run) -> None:
    assert "there is no rule 'AX0001'; did you mean 'AX001'?" in run("lint", "--explain", "AX0001", code=2).stderr

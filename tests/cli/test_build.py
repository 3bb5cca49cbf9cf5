"""`ambidex build`: what it says, what it leaves behind, how it ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
LINE = re.compile(r"^[^:]+:\d+:\d+ AX\d{3} (error|warning) .+; .+$")


def break_schema(project: Path) -> None:
    path = project / "tools" / "opening-hours" / "schema.json"
    path.write_text(path.read_text().replace('"idempotent": true', '"idempotent": "yes"'))


def test_a_build_says_what_it_wrote(run: Run, project: Path) -> None:
    result = run("build")
    version = json.loads((project / "tool_registry.json").read_bytes())["version"]
    assert result.stdout == f"tool_registry.json  {version}  1 tool\n"
    assert result.stderr == ""


def test_a_second_build_says_that_nothing_changed(run: Run, project: Path) -> None:
    run("build")
    assert run("build").stdout.endswith("1 tool, unchanged\n")


def test_problems_are_lines_on_stderr_and_the_artifact_stays(run: Run, project: Path) -> None:
    run("build")
    before = (project / "tool_registry.json").read_bytes()
    break_schema(project)
    result = run("build", code=1)
    first, *_, tally, next_step = result.stderr.splitlines()
    assert first.startswith("tools/opening-hours/schema.json:8:")
    assert LINE.match(first)
    assert tally == "1 error; tool_registry.json was left as it was"
    assert next_step.startswith("next: ")
    assert result.stdout == ""
    assert (project / "tool_registry.json").read_bytes() == before


def test_json_has_the_report(run: Run, project: Path) -> None:
    document = json.loads(run("build", "--json", "--verify").stdout)
    version = json.loads((project / "tool_registry.json").read_bytes())["version"]
    assert document == {
        "ok": True,
        "version": version,
        "path": str(project / "tool_registry.json"),
        "tools": ["opening_hours"],
        "changed": True,
        "reused": 0,
        "verified": True,
        "problems": [],
    }


def test_json_has_the_problems(run: Run, project: Path) -> None:
    break_schema(project)
    result = run("build", "--json", code=1)
    document = json.loads(result.stdout)
    assert document["ok"] is False
    [problem] = document["problems"]
    assert set(problem) == {"code", "severity", "path", "line", "column", "message", "fix"}
    assert (problem["path"], problem["line"]) == ("tools/opening-hours/schema.json", 8)
    assert result.stderr == ""


def test_check_tells_fresh_from_stale(run: Run, project: Path) -> None:
    assert "stale: tool_registry.json does not exist" in run("build", "--check", code=1).stderr
    run("build")
    assert run("build", "--check").stdout.endswith("fresh\n")
    handler = project / "tools" / "opening-hours" / "handler.py"
    handler.write_text(handler.read_text().replace("18:00", "19:00"))
    result = run("build", "--check", code=1)
    assert "stale: tool_registry.json was built as" in result.stderr
    assert "next: run `ambidex build`" in result.stderr
    document = json.loads(run("build", "--check", "--json", code=1).stdout)
    assert (document["ok"], document["fresh"]) == (False, False)
    assert document["built"] != document["current"]


def test_check_of_tools_that_do_not_build_tells_their_problems(run: Run, project: Path) -> None:
    run("build")
    break_schema(project)
    assert "opening-hours/schema.json:8:" in run("build", "--check", code=1).stderr


def test_verify_refuses_a_handler_that_does_not_load(run: Run, project: Path) -> None:
    handler = project / "tools" / "opening-hours" / "handler.py"
    handler.write_text(handler.read_text() + "\nraise RuntimeError('not today')\n")
    run("build")
    result = run("build", "--verify", code=1)
    assert "opening_hours" in result.stderr
    assert "not today" in result.stderr


def test_warnings_stop_a_strict_build_only(run: Run, project: Path) -> None:
    run("new", "count-words", "--category", "utility")
    schema = project / "tools" / "count-words" / "schema.json"
    schema.write_text(schema.read_text().replace('"acknowledge": ["AX602"]', '"tags": ["count"]'))
    assert re.search(r"AX602 warning", run("build").stderr)
    assert re.search(r"AX602 error", run("build", "--strict", code=1).stderr)


def test_strictness_can_be_configured_and_overridden(run: Run, project: Path) -> None:
    run("new", "count-words", "--category", "utility")
    schema = project / "tools" / "count-words" / "schema.json"
    schema.write_text(schema.read_text().replace('"acknowledge": ["AX602"]', '"tags": ["count"]'))
    (project / "ambidex.toml").write_text("[build]\nstrict = true\n")
    run("build", code=1)
    run("build", "--no-strict")


def test_tools_and_artifact_can_be_named(run: Run, project: Path, tmp_path: Path) -> None:
    run("build", "--tools", str(project / "tools"), "--artifact", str(tmp_path / "out" / "registry.json"))
    assert (tmp_path / "out" / "registry.json").is_file()
    run("build", "-o", str(tmp_path / "again.json"))
    assert (tmp_path / "again.json").is_file()


def test_the_configuration_can_stand_elsewhere(
    run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("build", "--config", str(project / "ambidex.toml"))
    assert (project / "tool_registry.json").is_file()


def test_a_missing_tools_folder_is_told(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "AX701" in run("build", code=1).stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--watch", "--json"),
        ("--watch", "--check"),
        ("--watch", "--sarif", "x"),
        ("--check", "--verify"),
        ("--check", "--fresh"),
        ("--json", "--sarif", "-"),
    ],
)
def test_options_that_contradict_each_other_are_wrong_usage(run: Run, project: Path, options: tuple[str, ...]) -> None:
    run("build", *options, code=2)
    assert not (project / "tool_registry.json").exists()


def test_watch_builds_again_after_a_change_and_goes_on_after_a_mistake(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pauses between two looks are where somebody edits; the third is Ctrl+C."""

    def edit() -> None:
        handler = project / "tools" / "opening-hours" / "handler.py"
        handler.write_text(handler.read_text().replace("18:00", "19:30"))

    def spoil() -> None:
        break_schema(project)

    edits = iter([edit, spoil])

    def pause(_: Any) -> None:
        change = next(edits, None)
        if change is None:
            raise KeyboardInterrupt
        change()

    monkeypatch.setattr("ambidex.compiler.watch.time", SimpleNamespace(sleep=pause))
    result = run("build", "--watch")
    built = [line for line in result.stdout.splitlines() if line.startswith("tool_registry.json  1.0.")]
    assert len(set(built)) == 2
    assert "opening-hours/schema.json:8:" in result.stderr
    assert result.stderr.endswith("no longer watching\n")

"""`ambidex doctor`: what it looks at, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from ambidex.cli.checkup import engines, installation
from ambidex.cli.checkup.finding import Finding, State
from ambidex.cli.doctor import verdict
from ambidex.cli.output import Exit

Run = Callable[..., Result]


def findings(run: Run, *args: str, code: int = 0) -> dict[str, dict[str, Any]]:
    document = json.loads(run("doctor", "--json", *args, code=code).stdout)
    assert document["ok"] is (code == 0)
    return {finding["name"]: finding for finding in document["findings"]}


def test_a_built_project_is_well(run: Run, built: Path) -> None:
    found = findings(run)
    for name in ("python", "msgspec", "jsonschema-rs", "patterns", "conditions", "tools", "artifact", "freshness"):
        assert found[name]["state"] == "ok", found[name]
    assert "integrity holds" in found["artifact"]["detail"]


def test_every_setting_is_shown_with_where_it_came_from(run: Run, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (built / "ambidex.toml").write_text("region = 'FR'\n")
    monkeypatch.setenv("AMBIDEX_LOCALE", "fr")
    settings = json.loads(run("doctor", "--json").stdout)["configuration"]
    by_key = {setting["key"]: (setting["value"], setting["origin"]) for setting in settings}
    assert by_key["region"] == ("FR", str(built / "ambidex.toml"))
    assert by_key["locale"] == ("fr", "AMBIDEX_LOCALE")
    assert by_key["timezone"] == ("UTC", "default")
    lines = [line.split() for line in run("doctor").stdout.splitlines()]
    assert ["region", "FR", "ambidex.toml"] in lines
    assert ["build.strict", "false", "default"] in lines


def test_a_project_that_is_not_built_yet_is_told_how(run: Run, project: Path) -> None:
    found = findings(run)["artifact"]
    assert (found["state"], found["next"]) == ("note", "ambidex build")


@pytest.mark.parametrize("change", ["remove", "stale"])
def test_production_refuses_what_development_notes(run: Run, built: Path, change: str) -> None:
    if change == "remove":
        (built / "tool_registry.json").unlink()
    else:
        handler = built / "tools" / "opening-hours" / "handler.py"
        handler.write_text(handler.read_text().replace("18:00", "19:00"))
    name = "artifact" if change == "remove" else "freshness"
    assert findings(run)[name]["state"] == "note"
    (built / "ambidex.toml").write_text("environment = 'production'\n")
    assert findings(run, code=1)[name]["state"] == "broken"


def test_an_altered_artifact_is_broken(run: Run, built: Path) -> None:
    path = built / "tool_registry.json"
    path.write_bytes(path.read_bytes().replace(b"Counts", b"Counted", 1))
    assert findings(run, code=1)["artifact"]["state"] == "broken"


def test_tools_that_do_not_build_are_broken(run: Run, built: Path) -> None:
    (built / "tools" / "opening-hours" / "handler.py").unlink()
    found = findings(run, code=1)["freshness"]
    assert (found["state"], found["next"]) == ("broken", "ambidex lint")


def test_a_missing_tools_folder_is_broken(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "ambidex init" in findings(run, code=1)["tools"]["next"]


def test_missing_prompts_are_noted(run: Run, built: Path) -> None:
    (built / "prompts" / "core.md").unlink()
    found = findings(run)["prompts"]
    assert found["state"] == "note"
    assert "core.md" in found["detail"]


def test_a_wrong_configuration_is_a_finding_like_any_other(run: Run, built: Path) -> None:
    (built / "ambidex.toml").write_text("tolos = 1\n")
    found = findings(run, code=1)
    assert "did you mean 'tools'?" in found["ambidex.toml"]["detail"]
    assert found["python"]["state"] == "ok"
    assert "artifact" not in found


def test_a_variable_that_sets_nothing_is_noted(run: Run, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMBIDEX_TOOL", "x")
    found = findings(run)["AMBIDEX_TOOL"]
    assert found["state"] == "note"
    assert "did you mean 'AMBIDEX_TOOLS'?" in found["detail"]


def test_a_missing_dependency_ends_with_three(run: Run, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "requires", lambda _: ["no-such-package>=2"])
    assert findings(run, code=3)["no-such-package"]["state"] == "missing"


def test_an_engine_that_behaves_otherwise_is_broken(run: Run, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "PATTERNS", (*engines.PATTERNS, ("^a$", "b", True, "b is a")))
    assert findings(run, code=1)["patterns"]["detail"] == "does not hold: b is a"


@pytest.mark.parametrize(
    ("states", "code"),
    [
        ([State.OK, State.NOTE], Exit.OK),
        ([State.OK, State.MISSING], Exit.MISSING),
        ([State.MISSING, State.BROKEN], Exit.PROBLEMS),
    ],
)
def test_broken_counts_before_missing(states: list[State], code: Exit) -> None:
    assert verdict([Finding("area", "name", state, "") for state in states]) is code

"""`ambidex init`: a project that builds at once and never eats files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from ambidex import shipped
from ambidex.cli.init import shipped_tools
from ambidex.contracts import schemas

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_new_project_builds_under_strict_and_loads(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("init", "demo")
    assert "demo/tools/opening-hours/schema.json" in result.stdout
    assert result.stderr.startswith("next: cd demo && ambidex build")
    monkeypatch.chdir(here / "demo")
    run("build", "--strict", "--verify")


def test_it_holds_what_editors_and_git_need(run: Run, here: Path) -> None:
    run("init", "demo")
    demo = here / "demo"
    assert (demo / "schemas" / "tool.schema.json").read_bytes() == schemas.text(schemas.TOOL)
    schema_json = demo / "tools" / "opening-hours" / "schema.json"
    reference = json.loads(schema_json.read_text())["$schema"]
    assert (schema_json.parent / reference).resolve() == demo / "schemas" / "tool.schema.json"
    assert {"tool_registry.json", ".ambidex/"} <= set((demo / ".gitignore").read_text().splitlines())
    assert "# demo" in (demo / "README.md").read_text()
    for prompt in (shipped.path() / "prompts").glob("*.md"):
        assert (demo / "prompts" / prompt.name).read_bytes() == prompt.read_bytes()


def test_every_shipped_tool_can_be_taken_along(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("init", "demo", "--with", ",".join(shipped_tools()))
    monkeypatch.chdir(here / "demo")
    built = json.loads(run("build", "--json").stdout)["tools"]
    assert {name.replace("-", "_") for name in shipped_tools()} | {"opening_hours"} == set(built)


def test_tools_may_be_named_by_id_and_one_at_a_time(run: Run, here: Path) -> None:
    run("init", "demo", "--with", "format_datetime", "--with", "ignore-user")
    assert (here / "demo" / "tools" / "format-datetime" / "handler.py").is_file()
    assert (here / "demo" / "tools" / "ignore-user" / "handler.py").is_file()


def test_an_unknown_tool_is_answered_with_the_nearest_and_nothing_is_made(run: Run, here: Path) -> None:
    assert "did you mean 'format-datetime'?" in run("init", "demo", "--with", "format-date", code=2).stderr
    assert not (here / "demo").exists()


def test_a_folder_with_files_is_refused(run: Run, here: Path) -> None:
    (here / "demo").mkdir()
    (here / "demo" / "README.md").write_text("mine")
    assert "is not empty" in run("init", "demo", code=2).stderr
    assert [path.name for path in (here / "demo").iterdir()] == ["README.md"]


def test_force_adds_what_is_missing_and_keeps_what_is_there(run: Run, here: Path) -> None:
    (here / "demo").mkdir()
    (here / "demo" / "README.md").write_text("mine")
    result = run("init", "demo", "--force")
    assert (here / "demo" / "README.md").read_text() == "mine"
    assert (here / "demo" / "ambidex.toml").is_file()
    assert "kept demo/README.md, which was there already" in result.stderr


def test_a_file_in_the_way_is_refused(run: Run, here: Path) -> None:
    (here / "demo").write_text("a file")
    assert "is a file" in run("init", "demo", "--force", code=2).stderr


def test_json_has_everything_that_was_made(run: Run, here: Path) -> None:
    document = json.loads(run("init", "demo", "--json").stdout)
    assert (document["ok"], document["path"], document["kept"]) == (True, str(here / "demo"), [])
    on_disk = {str(path) for path in (here / "demo").rglob("*") if path.is_file()}
    assert set(document["written"]) == on_disk
    assert document["next"][0] == "cd demo"

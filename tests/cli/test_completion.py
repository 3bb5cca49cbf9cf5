"""Completion: the script of each shell, and the names of tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import Result

from ambidex.cli.main import cli

Run = Callable[..., Result]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_asks_the_program_itself(run: Run, shell: str) -> None:
    assert f"_AMBIDEX_COMPLETE={shell}_complete" in run("completion", shell).stdout
    assert "_AMBIDEX_COMPLETE" in json.loads(run("completion", shell, "--json").stdout)["script"]


def completions(*args: str, incomplete: str) -> list[str]:
    found = ShellComplete(cli, {}, "ambidex", "_AMBIDEX_COMPLETE").get_completions(list(args), incomplete)
    return [item.value for item in found]


def test_commands_complete() -> None:
    assert completions(incomplete="b") == ["build", "blocks", "bench"]


def test_tools_complete_from_the_artifact(built: Path) -> None:
    assert completions("show", incomplete="o") == ["opening_hours"]


def test_without_an_artifact_nothing_completes_and_nothing_fails(project: Path) -> None:
    assert completions("show", incomplete="") == []

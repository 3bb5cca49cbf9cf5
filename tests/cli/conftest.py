"""A project in a temporary folder, and the command line to use on it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner, Result

from ambidex.cli.main import cli

Run: TypeAlias = Callable[..., Result]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("AMBIDEX_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def run() -> Run:
    """`run("build", "--strict", code=1)`: the command must end with that code."""

    def invoked(*args: str, code: int = 0) -> Result:
        result = CliRunner().invoke(cli, args, prog_name="ambidex")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return invoked


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """A fresh project, as `ambidex init` makes it; the current folder."""
    monkeypatch.chdir(tmp_path)
    run("init", "demo")
    monkeypatch.chdir(tmp_path / "demo")
    return tmp_path / "demo"


@pytest.fixture
def built(project: Path, run: Run) -> Path:
    """The same with a tool of each kind, built."""
    run("new", "count-words", "--category", "utility", "--mode", "text")
    run("new", "send-note", "--writes")
    run("build")
    return project

"""How errors end: a sentence, the next step, the right code; tracebacks only when asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from ambidex.cli.failure import end_with
from ambidex.errors import AmbidexError, ArtifactError, ConfigError, HandlerError, MissingExtra


def ended(error: Exception) -> Result:
    @click.command()
    @click.pass_context
    def command(ctx: click.Context) -> None:
        end_with(ctx, error)

    return CliRunner().invoke(command)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("the key is wrong"), 1),
        (ArtifactError("the file is damaged"), 1),
        (HandlerError("the file was altered"), 1),
        (AmbidexError("something else"), 1),
        (PermissionError(13, "Permission denied"), 1),
        (MissingExtra("counting", "tokens"), 3),
        (ModuleNotFoundError("No module named 'rich'"), 3),
    ],
)
def test_an_expected_error_is_a_sentence_and_a_next_step(error: Exception, code: int) -> None:
    result = ended(error)
    assert result.exit_code == code
    assert result.stderr.startswith(f"error: {error}\nnext: ")
    assert result.stdout == ""
    assert "Traceback" not in result.output


def test_a_bug_is_not_dressed_up() -> None:
    assert isinstance(ended(RuntimeError("bug")).exception, RuntimeError)


def test_with_json_the_error_is_the_document(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("list", "--json", code=1)
    document = json.loads(result.stdout)
    assert document["ok"] is False
    assert document["error"]["type"] == "ArtifactError"
    assert "tool_registry.json" in document["error"]["message"]
    assert document["error"]["next"] == "run `ambidex build` to write the artifact anew"
    assert result.stderr == ""


@pytest.mark.parametrize("args", [("--debug", "list"), ("list", "--debug")])
def test_debug_raises_what_happened(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArtifactError):
        run(*args)


def test_the_variable_does_the_same(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AMBIDEX_DEBUG", "1")
    with pytest.raises(ArtifactError):
        run("list")


def test_a_wrong_configuration_stops_every_command_that_reads_it(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ambidex.toml").write_text("\ntolos = 'x'\n")
    for command in (
        ["build"],
        ["lint"],
        ["list"],
        ["show", "x"],
        ["schema"],
        ["prompt", "--mode", "text"],
        ["new", "x"],
    ):
        result = run(*command, code=1)
        assert "ambidex.toml:2: there is no key 'tolos'; did you mean 'tools'?" in result.stderr

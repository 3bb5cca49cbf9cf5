"""The root command: light to start, complete, and helpful about mistakes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module

import click
import pytest
from click.testing import Result

from ambidex import __version__
from ambidex.cli.main import COMMANDS

_IMPORTED_BY = """
import sys
from ambidex.cli.main import cli
try:
    cli({args!r}, prog_name="ambidex")
except SystemExit:
    pass
print(*sorted(name.partition(".")[0] for name in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("args", [["--help"], ["--version"]])
def test_help_and_version_import_nothing_heavy(args: list[str]) -> None:
    program = _IMPORTED_BY.format(args=args)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(run.stderr.split())
    assert "click" in loaded
    heavy = {"rich", "jsonschema_rs", "markdown_it", "cel_expr_python", "msgspec", "orjson", "openai", "asyncio"}
    assert not loaded & heavy


@pytest.mark.parametrize("name", COMMANDS)
def test_the_short_help_in_the_table_is_the_commands_own(name: str) -> None:
    module, short_help = COMMANDS[name]
    command = import_module(module).command
    assert isinstance(command, click.Command)
    assert command.short_help == short_help
    assert (command.help or "").startswith(short_help)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(run: Callable[..., Result], name: str) -> None:
    assert f"Usage: ambidex {name}" in run(name, "--help").stdout


def _leaves(name: str) -> list[click.Command]:
    command = import_module(COMMANDS[name][0]).command
    return list(command.commands.values()) if isinstance(command, click.Group) else [command]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_json_and_debug(name: str) -> None:
    for command in _leaves(name):
        options = {option for parameter in command.params for option in parameter.opts}
        assert {"--json", "--debug"} <= options, command.name


def test_the_help_lists_every_command_in_the_order_of_the_flow(run: Callable[..., Result]) -> None:
    text = run("--help").stdout
    places = [text.index(f"\n  {name} ") for name in COMMANDS]
    assert places == sorted(places)


def test_the_version_is_the_packages(run: Callable[..., Result]) -> None:
    assert run("--version").stdout == f"ambidex {__version__}\n"


def test_a_misspelled_command_is_answered_with_the_nearest(run: Callable[..., Result]) -> None:
    result = run("biuld", code=2)
    assert "there is no command 'biuld'; did you mean 'build'?" in result.stderr
    assert result.stdout == ""


def test_an_unknown_option_is_wrong_usage(run: Callable[..., Result]) -> None:
    assert "No such option" in run("build", "--stric", code=2).stderr

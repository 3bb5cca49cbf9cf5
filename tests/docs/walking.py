"""Walks through a page as a reader would: in one folder, block after block, each as its language says.

CONTRIBUTING.md has the convention. A walk fails with the place of the block, the command and what it really said.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import itertools
import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.docs.comparing import SettledChecker, missing_line
from tests.docs.pages import Block

_BIN = Path(sys.executable).parent
_DOCTEST = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Walk:
    """One page's folder and Python names; `take` alone changes them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "page"}

    def take(self, block: Block) -> None:
        if "file" in block.options:
            path = self.folder / block.options["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif step := _STEPS.get(block.language):
            step(self, block)


def _console(walk: Walk, block: Block) -> None:
    """Every command runs; the last one ends with the block's `exit`, the others well."""
    commands = list(_commands(block))
    for number, (command, shown) in enumerate(commands, 1):
        expected = int(block.options.get("exit", 0)) if number == len(commands) else 0
        code, output = _run(walk, block, command)
        said = f"{block.place}: $ {command}\n{output}"
        assert code == expected, f"ended with {code}, not {expected}\n{said}"
        missing = missing_line(shown, output)
        assert missing is None, f"the page shows a line that is not there: {missing!r}\n{said}"


def _commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Each command and the lines shown below it."""
    command, shown = "", list[str]()
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line[2:], []
        else:
            assert command, f"{block.place}: a console block begins with a command"
            shown.append(line)
    if command:
        yield command, shown


def _run(walk: Walk, block: Block, command: str) -> tuple[int, str]:
    words = shlex.split(command, comments=True)
    variables = dict(word.split("=", 1) for word in itertools.takewhile(lambda word: "=" in word, words))
    program, *rest = words[len(variables) :]
    if program == "cd":
        walk.folder = (walk.folder / rest[0]).resolve(strict=True)
        return 0, ""
    if program == "make":
        # The environment that runs this test is the one that `setup` would make.
        argv = ["make", "--old-file=setup", f"BIN={_BIN}", *rest]
    else:
        assert program == "ambidex", f"{block.place}: only ambidex, make and cd are run; mark the block `text`"
        argv = [sys.executable, "-c", "from ambidex.cli.main import main; main()", *rest]
    environment = _environment() | variables
    done = subprocess.run(
        argv, cwd=walk.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.returncode, done.stdout.replace(str(_BIN), ".venv/bin")


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AMBIDEX_")}
    return {**kept, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}


def _diff(walk: Walk, block: Block) -> None:
    """The lines before and after a change, which must stand in the file exactly once."""
    header, *lines = block.text.splitlines()
    assert header.startswith("+++ "), f"{block.place}: a diff begins with `+++ path`"
    path = walk.folder / header[4:]
    before = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
    after = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, (
        f"{block.place}: {header[4:]} holds these lines {text.count(before)} times:\n{before}"
    )
    path.write_text(text.replace(before, after), encoding="utf-8")


def _python(walk: Walk, block: Block) -> None:
    """The names of earlier blocks of the page are there."""
    code = compile("\n" * block.line + block.text, block.page, "exec", dont_inherit=True)
    with contextlib.chdir(walk.folder), contextlib.redirect_stdout(io.StringIO()):
        exec(code, walk.names)


def _pycon(walk: Walk, block: Block) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, walk.names, block.place, block.page, block.line)
    told: list[str] = []
    with contextlib.chdir(walk.folder):
        runner = doctest.DocTestRunner(SettledChecker(), optionflags=_DOCTEST)
        result = runner.run(test, out=told.append, clear_globs=False)
    walk.names.update(test.globs)
    assert result.attempted, f"{block.place}: nothing to run"
    assert result.failed == 0, "".join(told)


def _json(_: Walk, block: Block) -> None:
    json.loads(block.text)


def _toml(_: Walk, block: Block) -> None:
    tomllib.loads(block.text)


_STEPS: dict[str, Callable[[Walk, Block], None]] = {
    "console": _console,
    "diff": _diff,
    "json": _json,
    "pycon": _pycon,
    "python": _python,
    "toml": _toml,
}
"""A block in any other language is there to be read."""

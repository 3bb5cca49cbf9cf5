"""Terminals get colours, carets and a progress bar; NO_COLOR and pipes do not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ambidex.cli.progress import progress_bar, status

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")


def on_a_terminal(folder: Path, *args: str, **environ: str) -> str:
    """What a terminal receives, stdout and stderr together."""
    ours, theirs = pty.openpty()
    program = "from ambidex.cli.main import main; main()"
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    child = subprocess.Popen(
        [sys.executable, "-c", program, *args],
        cwd=folder,
        env={**plain, "TERM": "xterm-256color", "COLUMNS": "160", **environ},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    received = b""
    while chunk := _read(ours):
        received += chunk
    os.close(ours)
    child.wait()
    return received.decode().replace("\r\n", "\n")


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:  # how Linux tells that the other end is closed
        return b""


@pytest.fixture
def mistaken(project: Path) -> Path:
    path = project / "tools" / "opening-hours" / "schema.json"
    path.write_text(path.read_text().replace('"idempotent": true', '"idempotent": "yes"'))
    return project


def test_a_terminal_sees_the_source_line_with_a_caret_in_colour(mistaken: Path) -> None:
    seen = on_a_terminal(mistaken, "build")
    assert "8 | " in seen
    assert '"idempotent": "yes",' in seen
    assert "^" in seen
    assert "\x1b[1;31m" in seen
    assert "Building" in seen, "the progress bar"


def test_no_color_is_respected(mistaken: Path) -> None:
    seen = on_a_terminal(mistaken, "lint", NO_COLOR="1")
    assert '"idempotent": "yes",' in seen
    assert "\x1b[1;31m" not in seen
    assert "\x1b[31m" not in seen


def test_a_table_is_drawn_and_documentation_rendered(built: Path) -> None:
    assert "opening_hours" in on_a_terminal(built, "list")
    seen = on_a_terminal(built, "show", "opening_hours")
    assert "╭─" in seen
    assert "## Summary" not in seen, "headings are drawn, not quoted"


def test_declarations_are_indented_on_a_terminal(built: Path) -> None:
    seen = re.sub(r"\x1b\[[\d;]*m", "", on_a_terminal(built, "schema"))
    assert seen.startswith("[\n  {\n")


def test_in_a_pipe_there_is_neither_bar_nor_line() -> None:
    with progress_bar("Building") as progress, status("Measuring") as words:
        assert progress is None
        assert words is None

"""`ambidex show`: one tool in full."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from rich.console import Console

from ambidex.cli.show import drawn

Run = Callable[..., Result]


@pytest.mark.parametrize("name", ["opening_hours", "opening-hours"])
def test_metadata_then_documentation(run: Run, built: Path, name: str) -> None:
    text = run("show", name).stdout
    metadata, documentation = text.split("\n\n", 1)
    assert "toolId: opening_hours" in metadata.splitlines()
    assert "idempotent: yes" in metadata.splitlines()
    assert "latencyBudgetMs: 100" in metadata.splitlines()
    guide = (built / "tools" / "opening-hours" / "guide.md").read_text()
    assert "## Common Mistakes" in documentation
    assert "Guessing the hours of a day" in guide
    assert "Guessing the hours of a day" in documentation


def test_json_has_all_of_it(run: Run, built: Path) -> None:
    document = json.loads(run("show", "opening_hours", "--json").stdout)
    assert document["ok"] is True
    assert document["tool"]["toolId"] == "opening_hours"
    assert document["parameters"]["required"] == ["day"]
    assert "## Summary" in document["documentation"]
    assert "Are you open on Saturday?" in document["tool"]["phrases"]


def test_an_unknown_tool_is_answered_with_the_nearest(run: Run, built: Path) -> None:
    result = run("show", "opening_hour", code=2)
    assert "there is no tool 'opening_hour'; did you mean 'opening_hours'?" in result.stderr
    assert "`ambidex list` has them all" in result.stderr


def test_a_terminal_gets_a_panel_that_takes_text_literally() -> None:
    stream = io.StringIO()
    facts = {
        "toolId": "a_tool",
        "tags": ["[red]x", "y"],
        "modeLimits": {"voice": {"n": {"maximum": 3.0}}},
        "effects": [],
    }
    Console(file=stream, width=100).print(drawn(facts))
    assert "[red]x, y" in stream.getvalue()
    assert "voice: n: maximum: 3" in stream.getvalue()
    assert "effects" not in stream.getvalue()

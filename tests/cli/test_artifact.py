"""How commands open the artifact and find a tool in it."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from ambidex.cli.artifact import known_tool, open_artifact
from ambidex.errors import ArtifactError


def test_a_tool_is_found_by_id_and_by_folder(built: Path) -> None:
    _, registry = open_artifact(None, None)
    assert known_tool(registry, "send_note") == known_tool(registry, "send-note") == "send_note"


def test_an_unknown_tool_is_wrong_usage(built: Path) -> None:
    _, registry = open_artifact(None, None)
    with pytest.raises(click.UsageError, match="did you mean 'send_note'"):
        known_tool(registry, "sendnote")


def test_a_missing_artifact_is_named(project: Path) -> None:
    with pytest.raises(ArtifactError, match=r"there is no artifact .*tool_registry\.json"):
        open_artifact(None, None)

"""A registry of a few tools, and prompt files, both made for the tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from ambidex import build, load
from ambidex.cli.scaffold import Written, template, tool_words, write
from ambidex.registry.registry import Registry

MakeRegistry: TypeAlias = Callable[..., Registry]


@pytest.fixture
def registry_of(tmp_path: Path) -> MakeRegistry:
    """A registry of tools with these names; those that begin with `text-` are for text only."""

    def made(*names: str) -> Registry:
        tools = tmp_path / "tools"
        tools.mkdir()
        for name in names:
            modes = ("text",) if name.startswith("text-") else ("text", "voice")
            write(tools / name, template("retrieval", tool_words(name, modes, None)), Written())
        return load(build(tools, tmp_path / "tool_registry.json").path)

    return made


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "core.md").write_text("# Core\n\nYou are honest.\n\n## Citations\n\nCite ids.\n")
    (folder / "voice-behavior.md").write_text("# Voice\n\nSpeak briefly.\n")
    (folder / "text-behavior.md").write_text("\n## Text\nWrite clearly.\n")
    return folder

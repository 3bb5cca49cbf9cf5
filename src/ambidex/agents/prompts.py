"""The system prompt: core, behaviour of the mode, the tools, the loop.

It is made from the registry, so a changed tool never needs a changed prompt file. It holds neither metadata nor
schemas: the provider's declarations carry those.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ambidex.agents.loop import LOOP
from ambidex.contracts.call import Mode
from ambidex.errors import ConfigError

if TYPE_CHECKING:
    from ambidex.registry.registry import Registry, Summary

CORE = "core.md"
BEHAVIOR: dict[Mode, str] = {Mode.VOICE: "voice-behavior.md", Mode.TEXT: "text-behavior.md"}
PROMPT_FILES: tuple[str, ...] = (CORE, *BEHAVIOR.values())

_TITLE = re.compile(r"\A\s*#{1,6}[ \t][^\n]*(\n|\Z)")


def compose(
    registry: Registry, mode: Mode | str, *, directory: str | os.PathLike[str], full_docs_up_to: int = 6
) -> str:
    """The prompt of one mode; raises `ConfigError` naming a prompt file that is missing."""
    mode = Mode(mode)
    folder = Path(directory)
    tools = registry.summaries(mode)
    parts = [_prose(folder / CORE), _prose(folder / BEHAVIOR[mode]), _tool_list(registry.version, tools)]
    # Voice gets summaries only, however few the tools: every token of the prompt delays the first word spoken.
    if mode is Mode.TEXT and len(tools) <= full_docs_up_to:
        parts.extend(_documented(tool.tool_id, registry) for tool in tools)
    parts.append(LOOP[mode])
    return "\n\n".join(part for part in parts if part) + "\n"


def _prose(path: Path) -> str:
    """A prompt file without its title, which is for those who edit it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(
            f"the prompt file {path} is missing; write it, or set prompts.directory to the folder that has it"
        ) from None
    return _TITLE.sub("", text).strip()


def _tool_list(version: str, tools: Sequence[Summary]) -> str:
    return "\n".join([f"# Available Tools (v{version})", "", *map(_tool_line, tools)]).rstrip()


def _tool_line(tool: Summary) -> str:
    # A line break inside a summary could pass for another entry of the list.
    return f"**{tool.tool_id}** ({tool.category}): {' '.join(tool.summary.split())}"


def _documented(tool_id: str, registry: Registry) -> str:
    return f"# Documentation of {tool_id}\n\n{registry.documentation(tool_id).strip()}"

"""Where the tools folder of an artifact is. Only handlers need it; schemas and documentation are in the artifact."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import msgspec


def tools_folder(artifact: str, handler_path: str, given: str | None) -> str | None:
    """The folder given, or the first likely one that holds `handler_path`; None when there is none."""
    if given is not None:
        return given
    for folder in _likely(artifact):
        if os.path.isfile(os.path.join(folder, handler_path)):
            return folder
    return None


def _likely(artifact: str) -> Iterator[str]:
    beside = os.path.dirname(os.path.abspath(artifact))
    recorded = _recorded(os.path.join(beside, ".ambidex", f"{os.path.basename(artifact)}.json"))
    if recorded:
        yield os.path.join(beside, recorded)
    yield os.path.join(beside, "tools")


def _recorded(note: str) -> str | None:
    """The folder as the build noted it. The note only helps to find files, whose hashes are checked in any case."""
    try:
        with open(note, "rb") as file:
            content: Any = msgspec.json.decode(file.read())
    except (OSError, ValueError, msgspec.DecodeError):
        return None
    folder = content.get("tools") if isinstance(content, dict) else None
    return folder if isinstance(folder, str) and "\x00" not in folder else None

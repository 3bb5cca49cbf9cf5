"""Rebuild when something changes. Looking at every file's stamp costs milliseconds and works on every file system."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from ambidex.authoring.folder import FileStamp, tool_folders

Signature = dict[str, dict[str, FileStamp]]


def watch(
    tools: str | os.PathLike[str],
    on_change: Callable[[], None],
    *,
    interval: float = 0.3,
    keep_on: Callable[[], bool] = lambda: True,
) -> None:
    """Call `on_change` once at the start and after every change, until `keep_on` says no."""
    seen: Signature | None = None
    while keep_on():
        now = _signature(Path(tools))
        if now != seen:
            seen = now
            on_change()
        time.sleep(interval)


def _signature(tools: Path) -> Signature:
    try:
        return {folder.name: folder.stamps for folder in tool_folders(tools)}
    except OSError:
        return {}

"""When and from which commit an artifact was built."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from ambidex.compiler.artifact import Stamp
from ambidex.errors import ConfigError

_SHORT = 12
"""A fixed length: git's own abbreviation depends on how many objects a clone holds."""


def stamp_for(tools: Path) -> Stamp:
    return Stamp(git_commit(tools), timestamp())


def timestamp() -> str:
    """Now, or `SOURCE_DATE_EPOCH`, so that two builds of one tree can give the same bytes."""
    asked = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        moment = datetime.fromtimestamp(int(asked), UTC) if asked else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise ConfigError(f"SOURCE_DATE_EPOCH is {asked!r}; set it to seconds since 1970, or unset it") from None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def git_commit(tools: Path) -> str | None:
    """The commit, with `+dirty` when the tools folder differs from it; None outside git."""
    command = ["git", "-C", str(tools), "status", "--porcelain=v2", "--branch", "--untracked-files=normal", "--", "."]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, env=environment, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    lines = done.stdout.splitlines()
    head = next((line.split()[2] for line in lines if line.startswith("# branch.oid ")), "(initial)")
    if not head[0].isalnum():
        return None  # a repository without a commit yet
    changed = any(not line.startswith("#") for line in lines)
    return head[:_SHORT] + ("+dirty" if changed else "")

"""Scenario files in a temporary tools folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Write: TypeAlias = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(folder, "name", call={…}, expect={…})`: a scenario file of a tool folder; a member of None is left out."""

    def written(folder: Path, name: str = "one", **members: Any) -> Path:
        document = {"about": "It is so.", "given": {"mode": "text"}, "call": {}, "expect": {"ok": True}, **members}
        path = folder / "scenarios" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {member: value for member, value in document.items() if value is not None}
        path.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")
        return path

    return written

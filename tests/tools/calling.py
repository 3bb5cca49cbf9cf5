"""Calls of the shipped tools, made as scenarios make them: through the whole pipeline."""

from __future__ import annotations

import atexit
import importlib
import json
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ambidex.testing.scenarios import Outcome, Scenario, Stage, play, staged

TOOLS = Path(__file__).parents[2] / "tools"
FOLDERS = sorted(path.parent.name for path in TOOLS.glob("*/schema.json"))
_STAGES = ExitStack()
atexit.register(_STAGES.close)


@cache
def stage_of(folder: str) -> Stage:
    """Built once in a run of the tests."""
    return _STAGES.enter_context(staged(TOOLS / folder))


async def run(folder: str, args: Mapping[str, Any], given: Mapping[str, Any]) -> Outcome:
    scenario = Scenario(path=TOOLS / folder, about="", given=given, call=args, expect={"ok": True})
    return await play(stage_of(folder), scenario)


@cache
def schema_of(folder: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((TOOLS / folder / "schema.json").read_text("utf-8"))
    return schema


@cache
def module_of(folder: str, name: str = "handler") -> ModuleType:
    """A module of a tool's folder, imported as part of a package so that its siblings are found relatively."""
    package = f"shipped_{folder.replace('-', '_')}"
    if package not in sys.modules:
        parent = ModuleType(package)
        parent.__path__ = [str(TOOLS / folder)]
        sys.modules[package] = parent
    return importlib.import_module(f"{package}.{name}")

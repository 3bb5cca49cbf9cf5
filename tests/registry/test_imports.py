"""A registry starts fast because it imports little."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.artifacts import write_artifact

CHILD = """
import sys
import ambidex
registry = ambidex.load(sys.argv[1])
registry.provider_schemas_json("openai", "text")
print(" ".join(name for name in sys.modules))
"""
HEAVY = {
    "asyncio",
    "jsonschema_rs",
    "orjson",
    "difflib",
    "ambidex.compiler",
    "ambidex.arguments.prepare",
    "ambidex.dialect.validator",
}


def test_loading_and_sending_schemas_imports_no_validator_and_no_compiler(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(write_artifact(tmp_path))]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not HEAVY & set(loaded)

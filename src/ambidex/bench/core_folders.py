"""The measured tool as folders of Ambidex: one that cannot suspend, one that does, and one that writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ambidex.bench.core_tool import PARAMETERS, RESULT, good
from ambidex.compiler.compile import build
from ambidex.registry.load import load
from ambidex.registry.registry import Registry

INLINE, SUSPENDING, WRITING = "find_inline", "find_suspending", "keep_note"

_BODIES = {
    INLINE: "async def execute(args, context):\n    return ok(RESULT)\n",
    SUSPENDING: "async def execute(args, context):\n    await asyncio.sleep(0)\n    return ok(RESULT)\n",
    WRITING: 'async def execute(args, context):\n    return ok({"kept": True})\n',
}

_GUIDE = """# Find

## Summary
Finds records. Use it to measure a call.

## Preconditions
- None.

## Postconditions
- Six records are returned.

## Invariants
- The same call gives the same answer.

## Failure Modes
- **VALIDATION**: a parameter breaks the contract; correct it and call again.

## Examples
User: who founded the studio?

```json
EXAMPLE
```

## Common Mistakes
- Measuring on a busy machine.
"""


def registry_in(root: Path) -> Registry:
    """The three tools, built and loaded in `root`."""
    for tool, body in _BODIES.items():
        folder = root / "tools" / tool.replace("_", "-")
        folder.mkdir(parents=True)
        (folder / "schema.json").write_text(json.dumps(_schema(tool)))
        (folder / "guide.md").write_text(_GUIDE.replace("EXAMPLE", json.dumps(good(1))))
        imports = "import asyncio\n\n" if tool == SUSPENDING else ""
        (folder / "handler.py").write_text(f"{imports}from ambidex import ok\n\nRESULT = {RESULT!r}\n\n\n{body}")
    build(root / "tools", root / "tool_registry.json")
    return load(root / "tool_registry.json", eager=True)


def _schema(tool: str) -> dict[str, Any]:
    writes = tool == WRITING
    return {
        "toolId": tool,
        "version": "1.0.0",
        "description": "Finds records that match a query.",
        "category": "action" if writes else "retrieval",
        "sideEffects": "writes" if writes else "read_only",
        "idempotent": not writes,
        "requiresConfirmation": False,
        "allowedModes": ["text", "voice"],
        "latencyBudgetMs": 700,
        "parameters": PARAMETERS,
    }

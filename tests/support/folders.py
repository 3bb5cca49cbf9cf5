"""Tool folders for tests: a smallest valid one, and ways to spoil it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REQUIRED: dict[str, Any] = {
    "toolId": "greet",
    "version": "1.0.0",
    "description": "Greets somebody by name.",
    "category": "utility",
    "sideEffects": "none",
    "idempotent": True,
    "requiresConfirmation": False,
    "allowedModes": ["text", "voice"],
    "latencyBudgetMs": 100,
    "parameters": {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    },
}

GUIDE = """\
# Greet

## Summary
Greets somebody by name.

## Preconditions
None.

## Postconditions
A greeting is returned.

## Invariants
Nothing is changed.

## Failure Modes
- **VALIDATION**: the name is missing.

## Examples
User: say hello to Ada

```json
{"name": "Ada"}
```

## Common Mistakes
- Greeting without a name.
"""

HANDLER = """\
from ambidex import ok


async def execute(args, context):
    return ok({"text": f"Hello {args['name']}"})
"""


def schema_for(name: str, **changes: Any) -> dict[str, Any]:
    """The required fields for folder `name`; a change to None removes the field."""
    schema = {**REQUIRED, "toolId": name.replace("-", "_"), **changes}
    return {field: value for field, value in schema.items() if value is not None}


def write_tool(
    root: Path,
    name: str = "greet",
    *,
    schema: dict[str, Any] | str | None = None,
    guide: str | None = GUIDE,
    handler: str | None = HANDLER,
    files: dict[str, str | bytes] | None = None,
    **changes: Any,
) -> Path:
    """One tool folder under `root`; `changes` are fields of schema.json."""
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    if not isinstance(schema, str):
        schema = json.dumps(schema if schema is not None else schema_for(name, **changes), indent=2)
    contents: dict[str, str | bytes | None] = {
        "schema.json": schema,
        "guide.md": guide,
        "handler.py": handler,
        **(files or {}),
    }
    for inside, content in contents.items():
        if content is None:
            continue
        path = folder / inside
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder

"""Ambidex, for the same table: `Session.answer_json`, with every gate, the record of the call and its audit."""

from __future__ import annotations

import asyncio
import json
import logging
import tempfile
from itertools import count
from pathlib import Path

from same import TOOL, measured, thrice

from ambidex import Orchestrator, User, build, load

GUIDE = """# Find

## Summary
Finds records.

## Preconditions
None.

## Postconditions
Records are returned.

## Invariants
Nothing is changed.

## Failure Modes
- **VALIDATION**: a parameter breaks the contract.

## Examples
User: who founded the studio?

```json
{"query": "who founded the studio"}
```

## Common Mistakes
- None known.
"""
HANDLER = """import sys

from ambidex import ok

same = sys.modules["same"]


async def execute(args, context):
    same.Runs.number += 1
    return ok(same.TOOL.RESULT)
"""


def write(tools: Path, name: str, **fields: object) -> None:
    folder = tools / name
    folder.mkdir(parents=True)
    schema = {
        "toolId": name,
        "version": "1.0.0",
        "description": "Finds records that match a query.",
        "category": "retrieval",
        "sideEffects": "read_only",
        "idempotent": True,
        "requiresConfirmation": False,
        "allowedModes": ["text"],
        "latencyBudgetMs": 700,
        "parameters": TOOL.PARAMETERS,
    }
    (folder / "schema.json").write_text(json.dumps(schema | fields))
    (folder / "guide.md").write_text(GUIDE)
    (folder / "handler.py").write_text(HANDLER)


async def main(root: Path) -> None:
    write(root / "tools", "find")
    asks = {"category": "action", "sideEffects": "writes", "idempotent": False, "requiresConfirmation": True}
    write(root / "tools", "keep", **asks)
    build(root / "tools", root / "registry.json")
    async with Orchestrator(load(root / "registry.json"), config={}) as app:
        session = await app.open(mode="text", user=User("u"))
        numbers = count()

        async def call(text: bytes) -> object:
            number = next(numbers)
            if number % 4 == 0:
                await session.begin_turn("measure")
            return await session.answer_json("find", text, id=f"c{number}")

        async def approved() -> dict[str, int]:
            await session.begin_turn("keep it")
            await session.answer_json("keep", TOOL.text_of(TOOL.good(0)), id="k")
            [request] = await session.confirmations()
            return {"with the token": await thrice(lambda: session.approve(request.token))}

        favour = "none; the cost has a new turn for every four calls"
        print(json.dumps(await measured("ambidex", "Session.answer_json", call, approved=approved, favour=favour)))


logging.disable(logging.WARNING)
with tempfile.TemporaryDirectory(prefix="ambidex-bench-") as made:
    asyncio.run(main(Path(made)))

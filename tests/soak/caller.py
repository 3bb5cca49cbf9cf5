"""Callers to be killed. Run as a script it forks one for each line it reads, and says its process id.

A caller opens the store, recovers what earlier ones left behind, and makes writes until it dies.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from tests.support.workers import short_leases

import ambidex
from ambidex import Orchestrator, Registry, ToolCall, User

TOOLS = ("none", "key", "natural")
GRACE_MS = 100


async def call_until_killed(registry: Registry, store: str) -> None:
    async with Orchestrator(registry, store=f"sqlite:{store}", config={}) as app:
        short_leases(app, GRACE_MS)
        app._shared.store_seconds = 30
        session = await app.open(mode="text", user=User("ann"))
        number = 0
        while True:
            await session.begin_turn("go on")
            for name in TOOLS * 2:
                number += 1
                args = {"name": f"{session.id} {number}"}
                await session.answer([ToolCall(name=name, args=args, id=f"c{number}")])


def nursery(settings: dict[str, Any]) -> None:
    """Everything is imported and loaded once, so that the next caller lives within milliseconds."""
    registry = ambidex.load(settings["artifact"], eager=True)
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                asyncio.run(call_until_killed(registry, settings["store"]))
            finally:
                os._exit(1)
        print(child, flush=True)
        os.waitpid(child, 0)
        print("dead", flush=True)


if __name__ == "__main__":
    nursery(json.loads(sys.argv[1]))

"""What an open session that nobody uses holds in memory: its object and its rows, by Python's own count."""

from __future__ import annotations

import gc
import tracemalloc

from ambidex.bench.core_calls import open_sessions
from ambidex.orchestrator import Orchestrator
from ambidex.registry.registry import Registry


async def idle_bytes(registry: Registry, number: int) -> float:
    """Bytes for each of `number` sessions; what the first ones make once for all is not counted."""
    async with Orchestrator(registry, config={}) as app:
        await open_sessions(app, 10)
        gc.collect()
        tracemalloc.start()
        try:
            sessions = await open_sessions(app, number)
            gc.collect()
            held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        return held / len(sessions)

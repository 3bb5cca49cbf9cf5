"""`ambidex bench core`: what one call through every gate costs, beside a bare call measured in the same run."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.bench.core_calls import at_once, interleaved, open_sessions, refused_of_nine
from ambidex.bench.core_durable import durable
from ambidex.bench.core_duties import duties
from ambidex.bench.core_folders import registry_in
from ambidex.bench.core_idle import idle_bytes
from ambidex.bench.core_tool import BAD
from ambidex.orchestrator import Orchestrator
from ambidex.registry.registry import Registry

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured. The usual sizes take about a minute."""

    sessions: int = 50
    rounds: int = 20
    callers: int = 1_000
    durable: int = 400
    idle: int = 2_000


GOALS: dict[str, tuple[str, float]] = {
    "guardedToBare": ("at most", 1.0),
    "suspendingToBare": ("at most", 2.5),
    "callsPerCpuSecond": ("at least", 45_000),
    "durableP99Millis": ("at most", 2.0),
    "idleSessionBytes": ("at most", 4_096),
    "badArgumentsRefused": ("at least", 9),
}
"""What the project holds itself to."""


def run(sizes: Sizes | None = None, *, progress: Progress | None = None) -> dict[str, Any]:
    sizes = sizes or Sizes()
    with tempfile.TemporaryDirectory(prefix="ambidex-bench-") as folder, _quiet():
        root = Path(folder)
        figures = asyncio.run(_measure(registry_in(root), root, sizes, progress or (lambda _: None)))
    shares = figures.pop("duties")
    return {
        "bench": "core",
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "goals": {name: {"rule": rule, "value": value} for name, (rule, value) in GOALS.items()},
        "held": {name: holds(name, figures[name]) for name in GOALS},
        "figures": figures,
        "duties": shares,
    }


def holds(name: str, value: float) -> bool:
    rule, goal = GOALS[name]
    return value <= goal if rule == "at most" else value >= goal


async def _measure(registry: Registry, root: Path, sizes: Sizes, progress: Progress) -> dict[str, Any]:
    progress("memory of idle sessions")  # first, while nothing else has grown
    figures: dict[str, Any] = {"idleSessionBytes": await idle_bytes(registry, sizes.idle)}
    async with Orchestrator(registry, config={}) as app:
        sessions = await open_sessions(app, sizes.sessions)
        progress("bare and guarded calls, taking turns")
        figures |= await interleaved(sessions, sizes.rounds)
        figures["badArgumentsRefused"] = len(await refused_of_nine(sessions[0]))
        figures["badArguments"] = len(BAD)
    async with Orchestrator(registry, config={}) as app:
        progress(f"{sizes.callers:,} callers at once")
        callers = await open_sessions(app, sizes.callers)
        figures["callsPerCpuSecond"] = statistics.median([await at_once(callers) for _ in range(3)])
    progress("what each duty takes")
    figures["duties"] = await duties(registry, sizes.sessions * sizes.rounds)
    progress("the durable path")
    figures |= await durable(registry, root, sizes.durable)
    figures["guardedToBare"] = figures["guardedMicros"] / figures["bareMicros"]
    figures["suspendingToBare"] = figures["suspendingMicros"] / figures["bareMicros"]
    return figures


@contextmanager
def _quiet() -> Iterator[None]:
    """A batch keeps the event loop busy on purpose; the watchdog would name it as a handler's fault."""
    logger = logging.getLogger("ambidex")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)

"""The durable path: a `writes` call on SQLite, beside two plain commits, which no store on this disk can do without."""

from __future__ import annotations

import json
import sqlite3
import statistics
import time
from contextlib import closing
from pathlib import Path

from ambidex.bench.core_calls import PER_TURN, Refused, open_sessions
from ambidex.bench.core_folders import WRITING
from ambidex.bench.core_tool import good, text_of
from ambidex.orchestrator import Orchestrator
from ambidex.registry.registry import Registry

_BYTES = b"x" * 1024


async def durable(registry: Registry, root: Path, number: int) -> dict[str, float]:
    """Milliseconds of wall time: claim and finish are both on disk before the answer."""
    calls, floors = [], []
    with closing(_plain(root / "floor.db")) as plain:
        async with Orchestrator(registry, store=f"sqlite:{root / 'calls.db'}", config={}) as app:
            [session] = await open_sessions(app, 1)
            for place in range(number):
                if place % PER_TURN == 0:
                    await session.begin_turn("measure")
                start = time.perf_counter()
                answer = await session.answer_json(WRITING, text_of(good(place)), id=f"w{place}")
                calls.append(time.perf_counter() - start)
                if not json.loads(answer)["ok"]:
                    raise Refused(answer.decode())
                floors.append(_two_commits(plain, place))
    return {
        "durableP50Millis": statistics.median(calls) * 1000,
        "durableP99Millis": percentile(calls, 99) * 1000,
        "twoCommitsP50Millis": statistics.median(floors) * 1000,
        "twoCommitsP99Millis": percentile(floors, 99) * 1000,
    }


def percentile(values: list[float], percent: int) -> float:
    """The smallest value that `percent` of a hundred do not exceed."""
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


def _plain(path: Path) -> sqlite3.Connection:
    link = sqlite3.connect(path, isolation_level=None)
    link.execute("PRAGMA journal_mode=WAL")
    link.execute("PRAGMA synchronous=FULL")
    link.execute("CREATE TABLE kept (place INTEGER, value BLOB)")
    return link


def _two_commits(link: sqlite3.Connection, place: int) -> float:
    start = time.perf_counter()
    for _ in range(2):
        link.execute("INSERT INTO kept VALUES (?, ?)", (place, _BYTES))
    return time.perf_counter() - start

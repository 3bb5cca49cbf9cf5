"""`ambidex bench serve`: turns of a chat over HTTP, with one tool call each, beside the same server's `/healthz`.

Server and clients are processes of their own, on one machine: they share its cores, as the figures do.
"""

from __future__ import annotations

import os
import platform
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ambidex.bench.core_durable import percentile
from ambidex.bench.serve_clients import Order, Sample, What
from ambidex.bench.serve_clients import run as run_clients
from ambidex.bench.serve_project import Server, served

Progress = Callable[[str], None]
CLIENTS = (1, 10, 100)
_ASKED: dict[What, str] = {"turn": "turns of a chat", "health": "/healthz"}
_SETTLED = 20
"""Conversations before memory is read for the first time: what is loaded once for all is not counted."""


def run(
    clients: Sequence[int] = CLIENTS,
    *,
    seconds: float = 10,
    conversations: int = 300,
    embedder: str = "light",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """`embedder`: the small one, since with the large one it is the model's vectors that are measured."""
    tell = progress or (lambda _: None)
    with tempfile.TemporaryDirectory(prefix="ambidex-bench-") as folder:
        tell("starting the server")
        with served(Path(folder), embedder) as server:
            memory = _memory(server, conversations, tell)
            rows = [_row(server, count, seconds, tell) for count in clients]
    return {
        "bench": "serve",
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "seconds": seconds,
        "embedder": server.embedder,
        "rows": rows,
        "memory": memory,
    }


def _row(server: Server, clients: int, seconds: float, tell: Progress) -> dict[str, Any]:
    row: dict[str, Any] = {"clients": clients}
    for what, words in _ASKED.items():
        tell(f"{words} from {clients} at once")
        before = server.cpu_seconds()
        sample = run_clients(Order(server.port, what, clients, seconds=seconds))
        row |= _figures(what, sample, _grown(before, server.cpu_seconds(), len(sample.seconds) + clients))
    return row


def _grown(before: float | None, after: float | None, many: int) -> float | None:
    """How much each of so many added."""
    return None if before is None or after is None else (after - before) / many


def _figures(what: str, sample: Sample, cpu: float | None) -> dict[str, float | None]:
    """`cpu`: seconds of the server's for each, which say more than the wall clock on a machine that others use."""
    return {
        f"{what}s": len(sample.seconds),
        f"{what}sPerSecond": len(sample.seconds) / sample.elapsed,
        f"{what}P50Millis": statistics.median(sample.seconds) * 1000,
        f"{what}P99Millis": percentile(sample.seconds, 99) * 1000,
        f"{what}CpuMillis": None if cpu is None else cpu * 1000,
    }


def _memory(server: Server, conversations: int, tell: Progress) -> dict[str, Any]:
    """How much the server grows with conversations that are begun, have one turn and stay open."""
    tell(f"memory of {conversations} open conversations")
    run_clients(Order(server.port, "turn", 1, turns=_SETTLED, turns_in_a_conversation=1))
    before = server.resident_bytes()
    run_clients(Order(server.port, "turn", 4, turns=conversations, turns_in_a_conversation=1))
    after = server.resident_bytes()
    each = _grown(before, after, conversations)
    return {"conversations": conversations, "residentBytes": after, "bytesPerConversation": each}


def parse_clients(text: str) -> tuple[int, ...]:
    """`1,10,100` as numbers; raises `ValueError`."""
    counts = tuple(int(word) for word in text.split(","))
    if any(count < 1 for count in counts):
        raise ValueError(text)
    return counts

"""Times as they are measured and told: by the wall's clock, and of the processor's time, which other programs cannot
lengthen."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Spent:
    wall: float
    cpu: float
    """Of all threads."""

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.wall + other.wall, self.cpu + other.cpu)


NONE = Spent(0.0, 0.0)


def spent(work: Callable[[], Any]) -> Spent:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


def quantiles(name: str, times: Sequence[Spent]) -> dict[str, float]:
    """Milliseconds: `{name}P50Millis`, `{name}P99Millis`, `{name}CpuP50Millis`, `{name}CpuP99Millis`."""
    told = {}
    for clock, found in (("", sorted(t.wall for t in times)), ("Cpu", sorted(t.cpu for t in times))):
        told[f"{name}{clock}P50Millis"] = statistics.median(found) * 1_000
        told[f"{name}{clock}P99Millis"] = found[min(len(found) - 1, round(len(found) * 0.99))] * 1_000
    return told


def rates(name: str, amount: int, time: Spent) -> dict[str, float]:
    return {f"{name}PerSecond": amount / time.wall, f"{name}PerCpuSecond": amount / max(time.cpu, 1e-9)}

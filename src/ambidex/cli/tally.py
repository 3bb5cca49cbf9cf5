"""The audit, counted: the numbers of `Registry.metrics`, and besides the exact times of the newest calls."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

from ambidex.audit.events import EventKind
from ambidex.audit.log import parsed
from ambidex.audit.metrics import count
from ambidex.registry.counts import UNKNOWN, Counts

if TYPE_CHECKING:
    from ambidex.audit.log import AuditLog
    from ambidex.registry.registry import Registry

NEWEST = 10_000
"""Calls of a tool whose times are kept: percentiles are over these."""


@dataclass(frozen=True, slots=True)
class Row:
    """One tool that was called."""

    tool: str
    counts: dict[str, Any]
    budget_ms: float | None
    """None for `unknown`."""
    p50: float | None
    p95: float | None
    """None while no call was executed."""

    @property
    def ok_share(self) -> float | None:
        """Of the calls that ran or were refused; repeats and those that wait for a person say nothing."""
        decided: int = self.counts["ok"] + self.counts["failed"] + self.counts["refused"]
        return self.counts["ok"] / decided if decided else None


class Tally:
    """Grows by what is read. Tools that this registry does not have are counted as `unknown`."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._counts = Counts(registry._specs)
        self._times: defaultdict[str, deque[float]] = defaultdict(partial(deque, maxlen=NEWEST))
        self._seen = 0

    def read(self, log: AuditLog) -> int:
        """Count what is new; how many lines that was."""
        before = self._seen
        for raw in log.read(self._seen):
            line = parsed(raw)
            count(self._counts, line)
            if line.event is EventKind.CALL_FINISHED and line.duration is not None:
                self._times[line.tool if line.tool in self._registry else UNKNOWN].append(line.duration)
            self._seen = line.seq
        return self._seen - before

    def plain(self) -> dict[str, Any]:
        """As `Registry.metrics`, with `budgetMs`, `p50Ms` and `p95Ms` of each tool."""
        counted = self._counts.plain()
        tools = {name: counts | self._figures(name) for name, counts in counted["tools"].items()}
        return {"registryVersion": self._registry.version, "tools": tools, "sessions": counted["sessions"]}

    def rows(self) -> list[Row]:
        """The tools that were called, the busiest first."""
        tools = self.plain()["tools"]
        called = [name for name, counts in tools.items() if counts["calls"]]
        called.sort(key=lambda name: (-tools[name]["calls"], name))
        return [Row(name, tools[name], *self._figures(name).values()) for name in called]

    def _figures(self, name: str) -> dict[str, float | None]:
        spec, times = self._registry._specs.get(name), sorted(self._times.get(name, ()))
        return {
            "budgetMs": spec.latency_budget_ms if spec else None,
            "p50Ms": percentile(times, 0.50),
            "p95Ms": percentile(times, 0.95),
        }


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """The least value that is not exceeded by this share of them: one that was measured, never one in between."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else None

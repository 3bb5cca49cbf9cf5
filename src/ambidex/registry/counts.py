"""What is counted of a registry in this process: a row for each of its tools, and one for each mode's sessions.

Names come from closed sets: whatever is no tool of the registry is counted as `unknown`, so that made-up names cannot
make the table grow. Which event counts as what is in `audit/metrics.py`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from threading import Lock
from typing import Any

from ambidex.contracts.call import Category, Mode
from ambidex.contracts.spec import ToolSpec

UNKNOWN = "unknown"
"""Stands for every name that is no tool; a tool that is really called so shares the row."""

BUCKETS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 800, 1_500, 2_000, 5_000, 10_000, 30_000)
"""Upper ends, inclusive. The budgets of both modes are among them, so that "within budget" can be read off exactly."""

BUDGETS = ("tool", "retrieval", "turn")
_MANY = 256
"""Calls after which they are added up in any case."""
DECISIONS = ("requested", "approved", "rejected", "expired")


@dataclass(slots=True)
class ToolCounts:
    """One tool. Written under the lock of the `Counts` it belongs to."""

    retrieves: bool = False
    ok: int = 0
    failed: int = 0
    """Ran and did not end well."""
    duplicates: int = 0
    loops: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    """Error type -> answers of that type, whether a handler gave them or a gate."""
    refusals: Counter[str] = field(default_factory=Counter)
    """Rule -> calls that did not get past it."""
    over_budget: Counter[str] = field(default_factory=Counter)
    confirmations: Counter[str] = field(default_factory=Counter)
    results: int = 0
    empty: int = 0
    total_ms: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS_MS) + 1))
    """Not cumulative; the last one is for what took longer than every bucket."""
    _recent: deque[tuple[float, int]] = field(default_factory=deque)
    """Milliseconds and results of calls that ended well and are not added up yet."""

    def ended_well(self, ms: float, results: int) -> bool:
        """A call that ran to a good end within its budgets. Needs no lock: it is added up when somebody looks.

        True when so many wait that whoever holds the lock should do it now.
        """
        self._recent.append((ms, results))
        return len(self._recent) >= _MANY

    def add_up(self) -> None:
        for _ in range(len(self._recent)):
            ms, results = self._recent.popleft()
            self.took(ms)
            self.ok += 1
            if self.retrieves:
                self.results += results
                self.empty += not results

    def took(self, ms: float) -> None:
        self.buckets[bisect_left(BUCKETS_MS, ms)] += 1
        self.total_ms += ms

    def plain(self) -> dict[str, Any]:
        """In JSON's own types and camelCase; `calls` is the sum of the five ways in which a call is decided."""
        self.add_up()
        refused, waiting = sum(self.refusals.values()), self.confirmations["requested"]
        counts: dict[str, Any] = {
            "calls": self.ok + self.failed + refused + self.duplicates + waiting,
            "ok": self.ok,
            "failed": self.failed,
            "refused": refused,
            "duplicates": self.duplicates,
            "loops": self.loops,
            "errors": dict(self.errors),
            "refusals": dict(self.refusals),
            "overBudget": {budget: self.over_budget[budget] for budget in BUDGETS},
            "confirmations": {decision: self.confirmations[decision] for decision in DECISIONS},
            "latency": self._latency(),
        }
        return counts | {"results": self.results, "empty": self.empty} if self.retrieves else counts

    def _latency(self) -> dict[str, Any]:
        """As a Prometheus histogram counts: each bucket holds the ones below it too."""
        upto = list(accumulate(self.buckets))
        names = [*map(str, BUCKETS_MS), "+Inf"]
        return {
            "count": upto[-1],
            "sumMs": round(self.total_ms, 3),
            "buckets": dict(zip(names, upto, strict=True)),
        }


@dataclass(slots=True)
class SessionCounts:
    """Sessions of one mode."""

    opened: int = 0
    resumed: int = 0
    ended: int = 0
    turns: int = 0

    def plain(self) -> dict[str, int]:
        """`open` is this process's share: a session that ends in another worker than it began in is -1 there."""
        return {
            "open": self.opened - self.ended,
            "opened": self.opened,
            "resumed": self.resumed,
            "ended": self.ended,
            "turns": self.turns,
        }


class Counts:
    """All of a registry. Counters are written from store threads and read from elsewhere: hold `lock` for both."""

    __slots__ = ("_specs", "_tools", "lock", "sessions")

    def __init__(self, specs: Mapping[str, ToolSpec]) -> None:
        self.lock = Lock()
        self.sessions = {mode: SessionCounts() for mode in Mode}
        self._specs = specs
        self._tools: dict[str, ToolCounts] = {}
        """Made when first counted: most of ten thousand tools are never called."""

    def of(self, tool: str) -> ToolCounts:
        """The row of a tool; of `unknown`, if it is none."""
        found = self._tools.get(tool)
        if found is not None:
            return found
        name = tool if tool in self._specs else UNKNOWN
        return self._tools.setdefault(name, self._row(name))

    def plain(self) -> dict[str, Any]:
        """`{"tools": {id: …}, "sessions": {mode: …}}`, with a row for every tool and for `unknown`."""
        with self.lock:
            names = [*self._specs, *({UNKNOWN} - self._specs.keys())]
            return {
                "tools": {name: (self._tools.get(name) or self._row(name)).plain() for name in names},
                "sessions": {str(mode): counts.plain() for mode, counts in self.sessions.items()},
            }

    def _row(self, name: str) -> ToolCounts:
        spec = self._specs.get(name)
        return ToolCounts(retrieves=spec is not None and spec.category is Category.RETRIEVAL)

"""The lanes of a registry: what `session/express.py` has to know of a tool, worked out once, not at every call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ambidex.contracts.call import Category, Mode
from ambidex.ledger.page import Page
from ambidex.policy.express import has_lane
from ambidex.registry.registry import Registry
from ambidex.session.envelope import Success

if TYPE_CHECKING:
    from ambidex.session.shared import Shared


class Lane:
    """What is known of one tool in one mode before any call of it comes."""

    __slots__ = (
        "_lock",
        "check",
        "counts",
        "mode",
        "most",
        "most_retrieval",
        "plan",
        "slow_ms",
        "spec",
        "success",
        "tool",
        "turn_ms",
    )

    def __init__(self, shared: Shared, registry: Registry, tool_id: str, mode: Mode) -> None:
        self.tool = registry._tool(tool_id)
        self.spec = spec = self.tool.spec
        self.plan = self.tool.plan
        self.check = shared.check(registry, tool_id)
        self.mode = mode
        limits, looks_up = shared.limits[mode], spec.category is Category.RETRIEVAL
        self.most = limits.total
        self.most_retrieval = limits.retrieval if looks_up else None
        """None for a tool that is no look-up."""
        self.turn_ms = float("inf") if limits.turn_ms is None else limits.turn_ms
        self.slow_ms = min(spec.latency_budget_ms, limits.retrieval_ms) if looks_up else spec.latency_budget_ms
        """A call that took longer has passed a soft budget."""
        self.counts, self._lock = registry._counts.of(tool_id), registry._counts.lock
        self.success = Success(spec, registry.version)

    def add_up(self) -> None:
        with self._lock:
            self.counts.add_up()

    def is_within_budget(self, page: Page) -> bool:
        return page.total < self.most and (self.most_retrieval is None or page.retrieval < self.most_retrieval)


class Lanes(dict[str, Lane | None]):
    """Of one registry in one mode: a tool's lane, None for a tool without. Made when first asked for."""

    __slots__ = ("_shared", "mode", "registry")

    def __init__(self, shared: Shared, registry: Registry, mode: Mode) -> None:
        super().__init__()
        self._shared = shared
        self.registry = registry
        self.mode = mode

    def __missing__(self, name: str) -> Lane | None:
        if name not in self.registry:  # made-up names must not fill the table
            return None
        spec, rules = self.registry._tool(name).spec, self._shared.rules(self.registry.version, self.mode)
        takes = not spec.suspends and has_lane(spec, self.mode, rules)
        lane = self[name] = Lane(self._shared, self.registry, name, self.mode) if takes else None
        return lane

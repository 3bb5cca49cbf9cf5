"""One conversation with the offline provider: the test answers its calls."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ambidex import Registry
from ambidex.offline.provider import OfflineProvider
from ambidex.transports.base import Ask, StepEnded, StepEvent
from ambidex.transports.items import Item, OutcomeItem, ResultItem, StepItem, UserItem

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""A Monday."""


@dataclass
class Stage:
    registry: Registry
    provider: OfflineProvider
    mode: str = "text"
    items: list[Item] = field(default_factory=list)

    async def step(self, *items: Item, tools: list[dict[str, Any]] | None = None) -> list[StepEvent]:
        self.items += items
        declared = self.registry.provider_schemas("mcp", self.mode) if tools is None else tools
        events = [event async for event in self.provider.step(Ask("", self.items, declared))]
        self.items.append(ended(events).item)
        return events

    async def say(self, text: str) -> StepItem:
        return ended(await self.step(UserItem(text=text))).item

    async def answer(self, data: Any = None, *, error: dict[str, Any] | None = None) -> StepItem:
        """The result of the call made last."""
        call = self.last.calls[-1]
        body = {"ok": True, "data": data} if error is None else {"ok": False, "error": error}
        item = ResultItem(call_id=call.id, name=call.name, ok=error is None, body=body)
        return ended(await self.step(item)).item

    async def outcome(self, name: str, data: Any = None, *, error: dict[str, Any] | None = None) -> StepItem:
        body = {"ok": True, "data": data} if error is None else {"ok": False, "error": error}
        return ended(await self.step(OutcomeItem(call_id="c1", name=name, ok=error is None, body=body))).item

    @property
    def last(self) -> StepItem:
        return next(item for item in reversed(self.items) if isinstance(item, StepItem))


def ended(events: list[StepEvent]) -> StepEnded:
    last = events[-1]
    assert isinstance(last, StepEnded)
    return last


def call_of(step: StepItem) -> tuple[str, dict[str, Any]]:
    [call] = step.calls
    return call.name, json.loads(call.args)

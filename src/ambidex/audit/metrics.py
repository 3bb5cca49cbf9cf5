"""Which event of the audit counts as what. The counters themselves are the registry's (`registry/counts.py`).

What is counted is what was recorded, so metrics and audit cannot disagree: `ambidex stats` reads the same numbers out
of a log that `Registry.metrics` shows of a process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ambidex.audit.events import Event, EventKind
from ambidex.contracts.faults import ErrorType
from ambidex.registry.counts import Counts, ToolCounts
from ambidex.registry.registry import Registry

RegistryOf: TypeAlias = Callable[[str], Registry | None]
"""The registry of a version."""

_BUDGETS = {"overBudget": "tool", "overRetrievalBudget": "retrieval", "overTurnBudget": "turn"}
"""The facts of a finished call that tell of a soft budget -> the budget."""


_STARTED, _FINISHED = EventKind.CALL_STARTED, EventKind.CALL_FINISHED
"""The two of every call, compared by identity: an enumeration's attributes and hashes cost more than the counting."""


def observe(events: Sequence[Event], registry_of: RegistryOf) -> None:
    """Count events under the registry they name."""
    for event in events:
        if event.event is _STARTED:  # half of all events, and nothing to count yet
            continue
        registry = registry_of(event.registry_version)
        if registry is not None:
            count(registry._counts, event)


def count(counts: Counts, event: Event) -> None:
    """Count one event; most kinds count as nothing."""
    kind = event.event
    with counts.lock:
        if kind is _FINISHED:
            _finished(counts.of(event.tool), event)
        elif about_call := _OF_A_CALL.get(kind):
            about_call(counts.of(event.tool), event)
        elif event.mode is not None and (name := _OF_A_SESSION.get(kind)):
            sessions = counts.sessions[event.mode]
            setattr(sessions, name, getattr(sessions, name) + 1)


def _finished(tool: ToolCounts, event: Event) -> None:
    if event.facts:
        tool.over_budget.update(budget for fact, budget in _BUDGETS.items() if fact in event.facts)
    if event.ok and event.duration is not None:
        if tool.ended_well(event.duration, len(event.records)):
            tool.add_up()
        return
    if event.duration is not None:  # a call that recovery gave its end took nobody knows how long
        tool.took(event.duration)
    tool.failed += 1
    _error(tool, event)


def _refused(tool: ToolCounts, event: Event) -> None:
    tool.refusals[event.rule] += 1
    tool.loops += event.error_type is ErrorType.LOOP_DETECTED
    _error(tool, event)


def _error(tool: ToolCounts, event: Event) -> None:
    if event.error_type is not None:
        tool.errors[str(event.error_type)] += 1


def _duplicate(tool: ToolCounts, _: Event) -> None:
    tool.duplicates += 1


def _decision(name: str) -> Callable[[ToolCounts, Event], None]:
    def counted(tool: ToolCounts, _: Event) -> None:
        tool.confirmations[name] += 1

    return counted


_OF_A_CALL: dict[EventKind, Callable[[ToolCounts, Event], None]] = {
    EventKind.CALL_REFUSED: _refused,
    EventKind.CALL_DUPLICATE: _duplicate,
    EventKind.CONFIRMATION_REQUESTED: _decision("requested"),
    EventKind.CONFIRMATION_APPROVED: _decision("approved"),
    EventKind.CONFIRMATION_REJECTED: _decision("rejected"),
    EventKind.CONFIRMATION_EXPIRED: _decision("expired"),
}
_OF_A_SESSION = {
    EventKind.SESSION_START: "opened",
    EventKind.SESSION_RESUME: "resumed",
    EventKind.SESSION_END: "ended",
    EventKind.TURN_START: "turns",
}

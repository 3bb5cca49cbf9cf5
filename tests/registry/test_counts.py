"""The counters of a registry: a row for every tool, none for names that are no tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.artifacts import entry, write_artifact

from ambidex.contracts.call import Mode
from ambidex.policy.limits import DEFAULTS
from ambidex.registry.counts import BUCKETS_MS, UNKNOWN, Counts, ToolCounts
from ambidex.registry.load import load
from ambidex.registry.registry import Registry


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    looks: dict[str, Any] = {"category": "retrieval", "sideEffects": "read_only"}
    sends: dict[str, Any] = {"category": "action", "sideEffects": "writes", "allowedModes": ["text"]}
    return load(write_artifact(tmp_path, entry("kb_search", **looks), entry("send_note", **sends)))


def test_a_registry_that_nobody_used_gives_zeros_for_every_tool(registry: Registry) -> None:
    metrics = registry.metrics()
    assert metrics["registryVersion"] == registry.version
    assert list(metrics["tools"]) == ["kb_search", "send_note", "unknown"]
    for counts in metrics["tools"].values():
        assert counts["calls"] == counts["ok"] == counts["refused"] == counts["latency"]["count"] == 0
        assert counts["errors"] == counts["refusals"] == {}
    idle = {"open": 0, "opened": 0, "resumed": 0, "ended": 0, "turns": 0}
    assert metrics["sessions"] == {"text": idle, "voice": idle}


def test_only_retrieval_tools_count_results(registry: Registry) -> None:
    tools = registry.metrics()["tools"]
    assert tools["kb_search"]["empty"] == tools["kb_search"]["results"] == 0
    assert "results" not in tools["send_note"]


def test_what_is_handed_out_is_a_copy(registry: Registry) -> None:
    registry.metrics()["tools"]["kb_search"]["errors"]["INTERNAL"] = 7
    assert registry.metrics()["tools"]["kb_search"]["errors"] == {}


def test_the_metrics_of_a_locked_registry_still_count(registry: Registry) -> None:
    registry.lock()
    registry._counts.of("kb_search").ok += 1
    assert registry.metrics()["tools"]["kb_search"]["calls"] == 1


def test_every_made_up_name_is_the_same_row(registry: Registry) -> None:
    counts = registry._counts
    assert counts.of("drop tables") is counts.of("") is counts.of(UNKNOWN)
    assert counts.of("kb_search") is not counts.of("kb_Search")


def test_a_tool_that_is_called_unknown_shares_the_row(tmp_path: Path) -> None:
    registry = load(write_artifact(tmp_path, entry("unknown")))
    registry._counts.of("unknown").ok += 1
    registry._counts.of("made up").ok += 1
    assert list(registry.metrics()["tools"]) == ["unknown"]
    assert registry.metrics()["tools"]["unknown"]["calls"] == 2


def test_calls_are_the_sum_of_the_ways_they_are_decided() -> None:
    counts = ToolCounts(ok=1, failed=2, duplicates=4)
    counts.refusals.update(tool_is_known=3, call_is_no_loop=5)
    counts.confirmations.update(requested=16, approved=9)
    plain = counts.plain()
    assert plain["refused"] == 8
    assert plain["calls"] == 1 + 2 + 4 + 8 + 16


@pytest.mark.parametrize(("ms", "first"), [(0, "1"), (1, "1"), (1.001, "2"), (800, "800"), (30_000, "30000")])
def test_a_duration_is_in_the_first_bucket_that_holds_it_and_in_all_above(ms: float, first: str) -> None:
    counts = ToolCounts()
    counts.took(ms)
    buckets = counts.plain()["latency"]["buckets"]
    assert next(name for name, number in buckets.items() if number) == first
    assert list(buckets.values()) == sorted(buckets.values())
    assert buckets["+Inf"] == 1


def test_what_takes_longer_than_every_bucket_still_counts() -> None:
    counts = ToolCounts()
    counts.took(31_000)
    counts.took(0.5)
    assert counts.plain()["latency"]["count"] == 2
    assert counts.plain()["latency"]["buckets"]["30000"] == 1
    assert counts.plain()["latency"]["sumMs"] == 31_000.5


def test_the_budgets_of_both_modes_are_ends_of_buckets() -> None:
    budgets = {limits.retrieval_ms for limits in DEFAULTS.values()} | {limits.turn_ms for limits in DEFAULTS.values()}
    assert budgets - {None} <= set(BUCKETS_MS)


def test_a_session_that_ended_elsewhere_is_open_minus_one_there() -> None:
    one, other = Counts({}), Counts({})
    one.sessions[Mode.TEXT].opened += 1
    other.sessions[Mode.TEXT].ended += 1
    shares = [counts.plain()["sessions"]["text"]["open"] for counts in (one, other)]
    assert shares == [1, -1]

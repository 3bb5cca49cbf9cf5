"""The audit, counted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.apps import Workshop

from ambidex.audit.chain import append
from ambidex.audit.events import Event, EventKind
from ambidex.audit.log import StoreLog
from ambidex.cli.tally import NEWEST, Tally, percentile
from ambidex.contracts.faults import ErrorType
from ambidex.stores.sqlite import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "calls.db")
    yield opened
    opened.close()


@pytest.fixture
def tally(tmp_path: Path) -> Tally:
    return Tally(Workshop(tmp_path).reading("look", latencyBudgetMs=200).writing("pay").build())


def finished(tool: str, *took: float) -> list[Event]:
    return [Event(event=EventKind.CALL_FINISHED, tool=tool, ok=True, duration=ms) for ms in took]


def test_percentiles_are_of_the_times_that_were_measured(tally: Tally, store: SqliteStore) -> None:
    store.run(lambda tx: append(tx, finished("look", *range(1, 101))))
    tally.read(StoreLog(store))
    [row] = tally.rows()
    assert (row.p50, row.p95, row.budget_ms) == (50, 95, 200)


def test_what_was_read_is_not_read_again(tally: Tally, store: SqliteStore) -> None:
    log = StoreLog(store)
    store.run(lambda tx: append(tx, finished("look", 1, 2)))
    assert [tally.read(log), tally.read(log)] == [2, 0]
    store.run(lambda tx: append(tx, finished("look", 3)))
    assert tally.read(log) == 1
    assert tally.plain()["tools"]["look"]["calls"] == 3


def test_only_tools_that_were_called_are_rows_and_the_busiest_is_first(tally: Tally, store: SqliteStore) -> None:
    store.run(lambda tx: append(tx, [*finished("look", 1), *finished("pay", 1, 2)]))
    tally.read(StoreLog(store))
    assert [row.tool for row in tally.rows()] == ["pay", "look"]


def test_a_tool_that_the_registry_does_not_have_is_unknown_and_has_no_budget(tally: Tally, store: SqliteStore) -> None:
    store.run(lambda tx: append(tx, [*finished("gone", 7), *finished("lost", 9)]))
    tally.read(StoreLog(store))
    [row] = tally.rows()
    assert (row.tool, row.counts["calls"], row.budget_ms, row.p95) == ("unknown", 2, None, 9)


def test_the_share_of_good_calls_leaves_out_repeats(tally: Tally, store: SqliteStore) -> None:
    refused = Event(event=EventKind.CALL_REFUSED, tool="pay", rule="x", ok=False, error_type=ErrorType.VALIDATION)
    repeated = Event(event=EventKind.CALL_DUPLICATE, tool="pay")
    store.run(lambda tx: append(tx, [*finished("pay", 1, 1, 1), refused, repeated, repeated]))
    store.run(lambda tx: append(tx, [Event(event=EventKind.CALL_DUPLICATE, tool="look")]))
    tally.read(StoreLog(store))
    assert [row.ok_share for row in tally.rows()] == [0.75, None]


def test_the_times_that_are_kept_are_bounded(tally: Tally, store: SqliteStore) -> None:
    store.run(lambda tx: append(tx, finished("look", *([1000.0] * NEWEST), *([1.0] * NEWEST))))
    tally.read(StoreLog(store))
    assert tally.rows()[0].p95 == 1, "the older half is forgotten"


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0.01, 1))
def test_a_percentile_covers_its_share_and_not_more_than_it_must(times: list[float], share: float) -> None:
    ordered = sorted(times)
    found = percentile(ordered, share)
    assert found in times
    assert sum(time <= found for time in times) >= share * len(times)
    assert sum(time < found for time in times) < share * len(times)


def test_nothing_has_no_percentile() -> None:
    assert percentile([], 0.5) is None

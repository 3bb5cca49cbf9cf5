"""How a terminal shows the numbers."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from ambidex.cli.stats_table import BAR, HEAD, bar, cells, drawn
from ambidex.cli.tally import Row
from ambidex.registry.counts import ToolCounts


def row(tool: str = "look", *, p50: float | None = 5, p95: float | None = 10, **counts: Any) -> Row:
    made = ToolCounts(**counts)
    return Row(tool, made.plain(), 20.0 if tool != "unknown" else None, p50, p95)


def on_a_terminal(*rows: Row, width: int = 140) -> str:
    file = io.StringIO()
    Console(file=file, force_terminal=True, color_system="standard", width=width).print(drawn(rows, width))
    return file.getvalue()


@pytest.mark.parametrize(
    ("p50", "p95", "shown"),
    [
        (5, 10, "███▒▒▒······"),
        (0, 0, "············"),
        (20, 20, "████████████"),
        (10, 30, "██████▒▒▒▒▒▶"),
        (40, 80, "███████████▶"),
        (None, None, ""),
    ],
)
def test_a_bar_is_the_median_and_the_95th_percentile_against_the_budget(
    p50: float | None, p95: float | None, shown: str
) -> None:
    assert bar(row(p50=p50, p95=p95)) == shown
    assert len(shown) in (0, BAR)


def test_what_has_no_budget_has_no_bar() -> None:
    assert bar(row("unknown")) == ""


@pytest.mark.parametrize(("p50", "p95", "colour"), [(5, 10, "32"), (10, 30, "33"), (30, 40, "31")])
def test_a_bar_is_green_within_the_budget_and_red_where_even_the_median_is_not(
    p50: float, p95: float, colour: str
) -> None:
    shown = row(p50=p50, p95=p95, ok=1)
    assert f"\x1b[{colour}m{bar(shown)}" in on_a_terminal(shown)


def test_the_cells_are_in_the_order_of_the_head() -> None:
    made = row(ok=2, failed=1, duplicates=3, loops=4)
    made.counts["errors"] |= {"NOT_FOUND": 1, "INTERNAL": 5}
    made.counts["overBudget"]["tool"] = 6
    shown = dict(zip(HEAD, cells(made), strict=True))
    assert shown["ok"] == "66.7%"
    assert (shown["calls"], shown["duplicates"], shown["loops"], shown["slow"]) == ("6", "3", "4", "6")
    assert shown["errors"] == "INTERNAL 5, NOT_FOUND 1"
    assert (shown["p50"], shown["p95"], shown["budget"]) == ("5 ms", "10 ms", "20 ms")


def test_what_was_not_measured_is_a_dash() -> None:
    shown = dict(zip(HEAD, cells(row("unknown", p50=None, p95=None)), strict=True))
    assert [shown[name] for name in ("ok", "p50", "p95", "budget")] == ["-"] * 4


def test_a_terminal_leaves_out_columns_in_which_nothing_happened() -> None:
    quiet, busy = on_a_terminal(row(ok=1)), on_a_terminal(row(ok=1, loops=1))
    assert "loops" not in quiet
    assert "loops" in busy
    assert "errors" in quiet


def test_a_narrow_terminal_leaves_columns_out_rather_than_cutting_numbers() -> None:
    made = row("look_up_somewhere", p95=1234, ok=1, failed=9, duplicates=1, loops=2)
    made.counts["errors"] |= {"OUTCOME_UNKNOWN": 4, "INTERNAL": 5}
    wide, narrow = on_a_terminal(made), on_a_terminal(made, width=80)
    whole = ("look_up_somewhere", "10.0%", "1234 ms", "INTERNAL 5", "OUTCOME_UNKNOWN", bar(made))
    assert all(text in narrow for text in whole)
    assert "duplicates" in wide
    assert "duplicates" not in narrow

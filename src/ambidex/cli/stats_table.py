"""The table of `ambidex stats`: a row for each tool, with a bar of its latency against its budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ambidex.cli.output import plural

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table

    from ambidex.cli.tally import Row, Tally

HEAD = ("tool", "calls", "ok", "p50", "p95", "budget", "slow", "refused", "duplicates", "loops", "asked", "errors")
_NUMBERS = frozenset(HEAD) - {"tool", "errors"}
_ALWAYS = frozenset({"tool", "calls", "ok", "p50", "p95", "budget", "errors"})
_ONLY_WHERE_THERE_IS_ROOM = frozenset({"p50", "budget", "slow", "duplicates", "asked"})
"""The bar tells of the first three."""
_ROOM_FOR_ALL = 100
BAR = 12
"""Characters that stand for the budget."""


def cells(row: Row) -> tuple[str, ...]:
    """In the order of `HEAD`, for a pipe."""
    counts = row.counts
    return (
        row.tool,
        str(counts["calls"]),
        "-" if row.ok_share is None else f"{row.ok_share:.1%}",
        _ms(row.p50),
        _ms(row.p95),
        _ms(row.budget_ms),
        str(counts["overBudget"]["tool"]),
        str(counts["refused"]),
        str(counts["duplicates"]),
        str(counts["loops"]),
        str(counts["confirmations"]["requested"]),
        _errors(counts["errors"]),
    )


def bar(row: Row) -> str:
    """Up to the median full, up to the 95th percentile shaded; an arrow where that is beyond the budget."""
    if row.p50 is None or row.p95 is None or not row.budget_ms:
        return ""
    half, most = (min(BAR, round(BAR * took / row.budget_ms)) for took in (row.p50, row.p95))
    drawn = "█" * half + "▒" * (most - half) + "·" * (BAR - most)
    return drawn[:-1] + "▶" if row.p95 > row.budget_ms else drawn


def drawn(rows: Sequence[Row], width: int) -> Table:
    """The table a terminal shows, without columns in which nothing happened, or for which there is no room."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    shown = [dict(zip(HEAD, cells(row), strict=True)) for row in rows]
    kept = [name for name in HEAD if name in _ALWAYS or any(row[name] != "0" for row in shown)]
    if width < _ROOM_FOR_ALL:
        kept = [name for name in kept if name not in _ONLY_WHERE_THERE_IS_ROOM]
    for name in kept:
        justify: JustifyMethod = "right" if name in _NUMBERS else "left"
        table.add_column(name, no_wrap=name != "errors", justify=justify, overflow="fold")
    table.add_column("of budget", no_wrap=True)
    for row, texts in zip(rows, shown, strict=True):
        line = (Text(texts[name].replace(", ", "\n"), _style(name, texts[name], row)) for name in kept)
        table.add_row(*line, Text(bar(row), _heat(row)))
    return table


def _style(column: str, text: str, row: Row) -> str:
    if column == "tool":
        return "bold"
    if column == "ok":
        share = row.ok_share
        return "" if share is None else "green" if share >= 0.95 else "yellow" if share >= 0.8 else "red"
    if column == "errors":
        return "red"
    return "yellow" if column in ("slow", "loops") and text != "0" else ""


def _heat(row: Row) -> str:
    if row.p50 is None or row.p95 is None or not row.budget_ms:
        return ""
    return "red" if row.p50 > row.budget_ms else "yellow" if row.p95 > row.budget_ms else "green"


def summary(tally: Tally) -> str:
    """One line below the table."""
    counted = tally.plain()
    calls = sum(counts["calls"] for counts in counted["tools"].values())
    sessions, turns = (sum(mode[name] for mode in counted["sessions"].values()) for name in ("opened", "turns"))
    parts = (plural(calls, "call"), plural(turns, "turn"), plural(sessions, "session"))
    return f"{', '.join(parts)}; registry {counted['registryVersion']}"


def _errors(errors: dict[str, int]) -> str:
    """The most frequent first."""
    return ", ".join(f"{name} {count}" for name, count in sorted(errors.items(), key=lambda one: (-one[1], one[0])))


def _ms(took: float | None) -> str:
    if took is None:
        return "-"
    return f"{took:.1f} ms" if took < 10 and took != int(took) else f"{took:.0f} ms"

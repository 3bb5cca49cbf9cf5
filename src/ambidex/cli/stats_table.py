"""The table of `ambidex stats`: a row for each tool, with a bar of its latency against its budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ambidex.cli.output import plural

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from ambidex.cli.tally import Row, Tally

HEAD = ("tool", "calls", "ok", "p50", "p95", "budget", "slow", "refused", "duplicates", "loops", "asked", "errors")
_NUMBERS = frozenset(HEAD) - {"tool", "errors"}
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


def drawn(rows: Sequence[Row]) -> Table:
    """The table a terminal shows; columns in which nothing happened are left out."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    shown = [cells(row) for row in rows]
    kept = [index for index, name in enumerate(HEAD) if name in _ALWAYS or any(row[index] != "0" for row in shown)]
    for index in kept:
        table.add_column(HEAD[index], no_wrap=index == 0, justify="right" if HEAD[index] in _NUMBERS else "left")
        if HEAD[index] == "p95":
            table.add_column("of budget", no_wrap=True)
    for row, texts in zip(rows, shown, strict=True):
        line: list[Text] = []
        for index in kept:
            line.append(Text(texts[index], _style(HEAD[index], texts[index], row)))
            if HEAD[index] == "p95":
                line.append(Text(bar(row), _heat(row)))
        table.add_row(*line)
    return table


_ALWAYS = frozenset({"tool", "calls", "ok", "p50", "p95", "budget", "errors"})


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

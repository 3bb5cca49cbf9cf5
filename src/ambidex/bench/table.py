"""A bench's result as a table for people; the JSON is for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ambidex.bench.registry import GOALS

if TYPE_CHECKING:
    from rich.table import Table

_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("buildColdSeconds", "build, cold", "s"),
    ("buildOneChangedSeconds", "one changed", "s"),
    ("importLoadSeconds", "import + load", "s"),
    ("floorDecodeSeconds", "floor: decode", "s"),
    ("loadToFloor", "x floor", "x"),
    ("schemaListFirstSeconds", "schema list", "s"),
    ("schemaListAgainSeconds", "again", "s"),
    ("memoryBytes", "memory", "b"),
    ("floorMemoryBytes", "floor memory", "b"),
    ("artifactBytes", "artifact", "b"),
)


def registry_table(result: dict[str, Any]) -> Table:
    """Goals are shown under the figures they are for: green when held, red when not."""
    from rich.table import Table

    title = f"ambidex bench registry   Python {result['python']}, {result['machine']}, median of {result['repeat']}"
    table = Table(title=title, title_justify="left")
    table.add_column("tools", justify="right")
    for _, heading, _ in _COLUMNS:
        table.add_column(heading, justify="right")
    for row in result["rows"]:
        table.add_row(f"{row['tools']:,}", *(_cell(row, name, unit) for name, _, unit in _COLUMNS))
    return table


def _cell(row: dict[str, Any], name: str, unit: str) -> str:
    value = row[name]
    text = _ratio(value) if unit == "x" else _bytes(value) if unit == "b" else _seconds(value)
    goal = GOALS.get(row["tools"], {}).get(name)
    if goal is None:
        return text
    colour = "green" if value <= goal else "red"
    return f"[{colour}]{text}[/]\n[dim]goal {_seconds(goal)}[/]"


def _seconds(value: float) -> str:
    if value < 0.001:
        return f"{value * 1e6:.0f} µs"
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"


def _ratio(value: float) -> str:
    return f"{value:.1f}"


def _bytes(value: float) -> str:
    return f"{value / 1024:.0f} KB" if value < 1 << 20 else f"{value / (1 << 20):.1f} MB"

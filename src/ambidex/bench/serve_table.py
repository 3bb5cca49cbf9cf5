"""The figures of `ambidex bench serve` for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("turnsPerSecond", "turns/s", "{:,.1f}"),
    ("turnP50Millis", "p50", "{:,.1f} ms"),
    ("turnP99Millis", "p99", "{:,.1f} ms"),
    ("turnCpuMillis", "CPU", "{:,.1f} ms"),
    ("healthsPerSecond", "/healthz/s", "{:,.0f}"),
    ("healthP50Millis", "p50", "{:,.2f} ms"),
    ("healthP99Millis", "p99", "{:,.2f} ms"),
    ("healthCpuMillis", "CPU", "{:,.2f} ms"),
)


def serve_table(result: dict[str, Any]) -> Table:
    """A row for each number of clients; memory stands below."""
    from rich.table import Table

    about = f"Python {result['python']}, {result['machine']}, embedder {result['embedder']}"
    title = f"ambidex bench serve   {about}, {result['seconds']:g} s each"
    table = Table(title=title, title_justify="left", caption=_memory(result["memory"]), caption_justify="left")
    table.add_column("clients", justify="right")
    for _, heading, _ in _COLUMNS:
        table.add_column(heading, justify="right")
    for row in result["rows"]:
        cells = ("" if row[name] is None else shape.format(row[name]) for name, _, shape in _COLUMNS)
        table.add_row(f"{row['clients']:,}", *cells)
    return table


def _memory(memory: dict[str, Any]) -> str:
    if memory["bytesPerConversation"] is None:
        return "memory: this system does not tell"
    each, whole = memory["bytesPerConversation"] / 1024, memory["residentBytes"] / (1 << 20)
    return f"memory: {each:.1f} KB for each of {memory['conversations']:,} open conversations, {whole:.0f} MB in all"

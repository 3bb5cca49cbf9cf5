"""The figures of `ambidex bench kb` for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ambidex.bench.kb import GOALS

if TYPE_CHECKING:
    from rich.table import Table

_ROWS: tuple[tuple[str, str, str, float], ...] = (
    ("filteredP50Millis", "filtered search, p50", "{:.1f} ms", 1),
    ("filteredP99Millis", "filtered search, p99", "{:.1f} ms", 1),
    ("filteredCpuP50Millis", "filtered search: processor, p50", "{:.1f} ms", 1),
    ("filteredCpuP99Millis", "filtered search: processor, p99", "{:.1f} ms", 1),
    ("unfilteredP50Millis", "unfiltered search, p50", "{:.1f} ms", 1),
    ("unfilteredP99Millis", "unfiltered search, p99", "{:.1f} ms", 1),
    ("unfilteredCpuP50Millis", "unfiltered search: processor, p50", "{:.1f} ms", 1),
    ("unfilteredCpuP99Millis", "unfiltered search: processor, p99", "{:.1f} ms", 1),
    ("plainP50Millis", "plain FTS5, words alone, p50", "{:.1f} ms", 1),
    ("plainP99Millis", "plain FTS5, words alone, p99", "{:.1f} ms", 1),
    ("plainCpuP50Millis", "plain FTS5, words alone: processor, p50", "{:.1f} ms", 1),
    ("plainCpuP99Millis", "plain FTS5, words alone: processor, p99", "{:.1f} ms", 1),
    ("importPerSecond", "import, records a second", "{:,.0f}", 1),
    ("importPerCpuSecond", "import, records a second of processor", "{:,.0f}", 1),
    ("plainImportPerSecond", "plain FTS5: import, records a second", "{:,.0f}", 1),
    ("plainImportPerCpuSecond", "plain FTS5: import, records a second of processor", "{:,.0f}", 1),
    ("vectorsPerSecond", "vectors made and kept a second", "{:,.0f}", 1),
    ("openSeconds", "open and search in a fresh process", "{:.3f} s", 1),
    ("importModulesSeconds", "before that: import of the modules", "{:.3f} s", 1),
    ("loadModelSeconds", "before that: loading the embedder", "{:.3f} s", 1),
    ("memoryBytes", "memory of that process after 50 searches", "{:,.0f} MB", 1 << 20),
    ("mappedBytes", "beside it: pages of mapped files", "{:,.0f} MB", 1 << 20),
    ("diskBytes", "on disk", "{:,.0f} MB", 1 << 20),
)


def kb_table(result: dict[str, Any]) -> Table:
    """Green where a goal is held, red where it is not."""
    from rich.table import Table

    title = f"ambidex bench kb   Python {result['python']}, {result['machine']}, wall time"
    table = Table("records", title=title, title_justify="left")
    for row in result["rows"]:
        table.add_column(f"{row['records']:,}\n[dim]{row['lexical']}, {row['vectors']}[/]", justify="right")
    for name, words, shape, unit in _ROWS:
        table.add_row(words, *(_cell(row, name, shape, unit) for row in result["rows"]))
    return table


def _cell(row: dict[str, Any], name: str, shape: str, unit: float) -> str:
    text = shape.format(row[name] / unit)
    goal = GOALS.get(row["records"], {}).get(name)
    if goal is None:
        return text
    colour = "green" if row[name] <= goal else "red"
    return f"[{colour}]{text}[/]\n[dim]goal {shape.format(goal / unit)}[/]"

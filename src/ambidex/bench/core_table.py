"""The figures of `ambidex bench core` for people: one table against the goals, one of the duties on each way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ambidex.bench.core import GOALS

if TYPE_CHECKING:
    from rich.table import Table

_ROWS: tuple[tuple[str, str, str], ...] = (
    ("bareMicros", "bare call: json.loads, await handler, json.dumps", "{:.1f} µs"),
    ("guardedMicros", "guarded call, handler that cannot suspend", "{:.1f} µs"),
    ("guardedToBare", "the same, x bare", "{:.2f}"),
    ("suspendingMicros", "guarded call, handler that suspends", "{:.1f} µs"),
    ("suspendingToBare", "the same, x bare", "{:.2f}"),
    ("callsPerCpuSecond", "calls for each CPU second, all callers at once", "{:,.0f}"),
    ("durableP50Millis", "durable write on SQLite, p50 (wall)", "{:.2f} ms"),
    ("durableP99Millis", "durable write on SQLite, p99 (wall)", "{:.2f} ms"),
    ("twoCommitsP50Millis", "floor: two plain commits, p50", "{:.2f} ms"),
    ("twoCommitsP99Millis", "floor: two plain commits, p99", "{:.2f} ms"),
    ("idleSessionBytes", "memory of an idle session", "{:,.0f} B"),
    ("badArgumentsRefused", "kinds of bad arguments refused, of nine", "{:.0f}"),
)
_DUTIES = {
    "express": {
        "arguments": "parse, validate, fill in defaults, clamp: in one go",
        "claim": "every gate is known to hold: identity, budgets, room",
        "handle": "run the handler and check its result",
        "envelope": "write the envelope",
        "end": "record the end: turn, answer, audit, counts",
        "between": "between these",
    },
    "long": {
        "parse": "parse the arguments strictly",
        "validate": "validate, fill in defaults, clamp",
        "decide": "gates, claim and audit: one transaction",
        "handle": "run the handler and check its result",
        "finish": "record the end, intents and audit: one transaction",
        "encode": "encode the envelope",
        "between": "between these: identity, room, context, envelope",
    },
}
_WAYS = {"express": "on the express lane", "long": "on the long way, as for a tool without a lane"}


def core_table(result: dict[str, Any]) -> Table:
    """Green where a goal is held, red where it is not."""
    from rich.table import Table

    title = f"ambidex bench core   Python {result['python']}, {result['machine']}, CPU time unless said"
    table = Table("figure", title=title, title_justify="left")
    table.add_column("here", justify="right")
    table.add_column("goal", justify="right")
    for name, words, shape in _ROWS:
        text, goal = shape.format(result["figures"][name]), ""
        if name in GOALS:
            rule, value = GOALS[name]
            goal = f"{rule} {shape.format(value)}"
            text = f"[{'green' if result['held'][name] else 'red'}]{text}[/]"
        table.add_row(words, text, goal)
    return table


def duties_tables(result: dict[str, Any]) -> list[Table]:
    """One for each way that a call may take."""
    return [_duties_table(way, result["duties"][way]) for way in _WAYS]


def _duties_table(way: str, duties: dict[str, float]) -> Table:
    from rich.table import Table

    title = f"where a guarded call's time goes {_WAYS[way]} (wall, medians)"
    table = Table("duty", title=title, title_justify="left")
    table.add_column("µs", justify="right")
    table.add_column("share", justify="right")
    for duty, micros in duties.items():
        table.add_row(_DUTIES[way][duty], f"{micros:.1f}", f"{micros / sum(duties.values()):.0%}")
    return table

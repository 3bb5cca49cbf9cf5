"""The comparison as Markdown, for the terminal, the README and `docs/comparison.md`."""

from __future__ import annotations

from typing import Any

BEGIN, END = "<!-- peers: written by make bench-peers -->", "<!-- end of peers -->"
_HEAD = (
    "| | version | public path | cost of a call | x bare | bad arguments refused | one approval used three times |\n"
    "|---|---|---|---:|---:|---:|---|"
)


def markdown(results: dict[str, Any]) -> str:
    """Cheapest first; those that could not be measured last, with the reason."""
    rows = sorted(results["rows"], key=lambda row: row.get("toBare", float("inf")))
    lines = [_row(row, results["kinds"]) for row in rows]
    when = f"Measured on {results['date']}: Python {results['python']}, {results['machine']}."
    return "\n".join([when, "", _HEAD, *lines, "", _standing(rows)])


def _standing(rows: list[dict[str, Any]]) -> str:
    """Who is cheaper than Ambidex, said in words, so that nobody has to look for it."""
    [ours] = [row for row in rows if row.get("package") == "ambidex"]
    cheaper = [row["name"] for row in rows if row.get("toBare", float("inf")) < ours["toBare"]]
    return f"Cheaper than Ambidex in this run: {', '.join(cheaper) or 'none of them'}."


def between_markers(page: str, table: str) -> str:
    """The page with its table replaced; ValueError where it has no place for one."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the page has no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def _row(row: dict[str, Any], kinds: list[str]) -> str:
    if "error" in row:
        return f"| {row['name']} | {', '.join(row['requirements'])} | not measured: {row['error']} | | | | |"
    missed = [kind for kind in kinds if kind not in row["refused"]]
    refused = f"{len(row['refused'])} of {len(kinds)}" + (f" (not: {', '.join(missed)})" if missed else "")
    name = f"**{row['name']}**" if row["package"] == "ambidex" else row["name"]
    cost = f"{row['callMicros']:.0f} µs | {row['toBare']:.1f}"
    return f"| {name} | {row['version']} | `{row['path']}` | {cost} | {refused} | {_approvals(row['approvals'])} |"


def _approvals(runs: dict[str, int] | str) -> str:
    if isinstance(runs, str):
        return runs
    times = {0: "never ran", 1: "ran once", 2: "ran twice", 3: "ran three times"}
    return "; ".join(f"{times[number]} {how}" for how, number in runs.items())

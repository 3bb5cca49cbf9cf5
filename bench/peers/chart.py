"""The chart of the comparison: bars of cost over the bare floor, on a scale of powers of ten."""

from __future__ import annotations

import math
from html import escape
from typing import Any

_LEFT, _BAR, _RIGHT, _LINE, _TOP = 130, 420, 90, 28, 64
_SCALE = "bare: json.loads, await handler, json.dumps; CPU time, shorter is better, logarithmic"
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2937}.small{font-size:11px;fill:#6b7280}"
    ".title{font-weight:600;font-size:14px}.peer{fill:#94a3b8}.ours{fill:#2563eb}.grid{stroke:#d1d5db}"
)


def svg(results: dict[str, Any]) -> str:
    rows = sorted((row for row in results["rows"] if "toBare" in row), key=lambda row: row["toBare"])
    decades = max(1, math.ceil(math.log10(max(row["toBare"] for row in rows))))
    width, height = _LEFT + _BAR + _RIGHT, _TOP + _LINE * len(rows) + 30
    title = "Cost of one tool call, as a multiple of a bare one"
    told = ", ".join(f"{row['name']} {row['toBare']:.1f}" for row in rows)
    box = f'viewBox="0 0 {width} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-label="{escape(told)}">',
        f'<style>{_STYLE}</style><rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="12" y="24">{escape(title)}</text>',
        f'<text class="small" x="12" y="44">{_SCALE}; {escape(results["date"])}</text>',
        *_grid(decades, height),
        *(line for place, row in enumerate(rows) for line in _bar(row, _TOP + _LINE * place, decades)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _grid(decades: int, height: int) -> list[str]:
    lines = []
    for decade in range(decades + 1):
        x = _LEFT + _BAR * decade / decades
        lines.append(f'<line class="grid" x1="{x:.0f}" x2="{x:.0f}" y1="{_TOP - 8}" y2="{height - 24}"/>')
        lines.append(f'<text class="small" x="{x:.0f}" y="{height - 8}" text-anchor="middle">{10**decade} x</text>')
    return lines


def _bar(row: dict[str, Any], y: int, decades: int) -> list[str]:
    """A path cheaper than the floor has a bar of two pixels."""
    length = max(2.0, _BAR * math.log10(max(row["toBare"], 1.0)) / decades)
    kind = "ours" if row["package"] == "ambidex" else "peer"
    return [
        f'<text x="{_LEFT - 10}" y="{y + 14}" text-anchor="end">{escape(row["name"])}</text>',
        f'<rect class="{kind}" x="{_LEFT}" y="{y}" width="{length:.0f}" height="18" rx="2"/>',
        f'<text x="{_LEFT + length + 8:.0f}" y="{y + 14}">{row["toBare"]:.1f} x</text>',
    ]

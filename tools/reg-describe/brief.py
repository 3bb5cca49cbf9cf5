"""A guide cut down for voice: summary, parameters and failure modes in at most 2,000 characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST = 2000
_HEADING = re.compile(r"(#{1,6})\s+(.*\S)")
_FENCE = re.compile(r"\s*(```|~~~)")


def spoken_length(described: Mapping[str, Any]) -> str:
    parts = [
        described["summary"],
        _titled("Parameters", "\n".join(_parameters(described["parameters"]))),
        _titled("Failure Modes", _section(described["documentation"], "failure modes")),
    ]
    return _cut("\n\n".join(part for part in parts if part))


def _titled(title: str, body: str) -> str:
    return f"{title}:\n{body}" if body else ""


def _parameters(schema: Mapping[str, Any]) -> Iterator[str]:
    """One line a parameter; bounds are in the schema, which stands beside this text."""
    required = schema.get("required", ())
    for name, rules in schema.get("properties", {}).items():
        need = "required" if name in required else "optional"
        yield f"- {name} ({need}): {rules.get('description', '')}".rstrip(": ")


def _section(markdown: str, wanted: str) -> str:
    """The text under the first heading that begins with `wanted`, up to the next heading of its rank."""
    body: list[str] = []
    rank = 0
    fenced = False
    for line in markdown.splitlines():
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading and rank and len(heading[1]) <= rank:
            break
        if rank:
            body.append(line)
        elif heading and heading[2].lower().startswith(wanted):
            rank = len(heading[1])
    return "\n".join(body).strip()


def _cut(text: str) -> str:
    """At a line's end where there is one: half a sentence misleads more than a missing one."""
    if len(text) <= LONGEST:
        return text
    kept = text[: LONGEST - 1]
    return kept[: kept.rfind("\n")].rstrip() + "…" if "\n" in kept else kept + "…"

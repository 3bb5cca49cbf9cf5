"""Verdicts in words, the same on the command line, in pytest and in a report for CI."""

from __future__ import annotations

import json
from typing import Any

from ambidex.testing.scenarios.compare import ABSENT, Difference
from ambidex.testing.scenarios.run import Verdict

_LONG = 160
_BEFORE = 30
"""Characters that are shown before the first one that differs."""


def told(verdict: Verdict) -> list[str]:
    """What is wrong, line by line; nothing for one that passed."""
    if verdict.problem:
        return [verdict.problem]
    lines = [verdict.about] if verdict.differences else []
    for difference in verdict.differences:
        expected, got = sides(difference)
        lines += [difference.pointer, f"  expected  {expected}", f"  got       {got}"]
    return lines if verdict.passed else [*lines, *(f"log: {entry}" for entry in verdict.log)]


def sides(difference: Difference) -> tuple[str, str]:
    """Expected and got as JSON on one line each; of long texts the part where they begin to differ."""
    expected, got = difference.expected, difference.got
    start = 0
    if isinstance(expected, str) and isinstance(got, str):
        start = max(0, _first_difference(expected, got) - _BEFORE)
    return _shown(expected, start), _shown(got, start)


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, its) in pairs if mine != its), min(len(one), len(other)))


def _shown(value: Any, start: int) -> str:
    if value is ABSENT:
        return repr(value)
    if isinstance(value, str) and len(value) > _LONG:
        tail = value[start:]
        value = ("…" if start else "") + (tail if len(tail) <= _LONG else f"{tail[:_LONG]}…")
    text = json.dumps(value, ensure_ascii=False)
    # What a terminal would obey is escaped.
    return text if text.isprintable() else json.dumps(value)

"""Is the output that a page shows the output that a command gives? What differs from run to run is not compared."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterable

GAP = "…"
"""In a shown line it stands for any text; on a line of its own, for any lines."""

_CHANGING = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<sha256>"),
    (re.compile(r"\b1\.0\.[0-9a-f]{8}\b"), "<registry version>"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "<time>"),
    (re.compile(r"\b\d+\.\d+\.\d+\b"), "<version>"),
    (re.compile(r"\b[\d,]+ tokens\b"), "<n> tokens"),
)


def missing_line(shown: Iterable[str], output: str) -> str | None:
    """The first shown line that does not occur in the output after the ones before it; None when all do."""
    real = iter([" ".join(settled(line).split()) for line in output.splitlines()])
    for line in shown:
        wanted = _pattern(line)
        if line.strip() not in ("", GAP) and not any(wanted.fullmatch(candidate) for candidate in real):
            return line
    return None


class SettledChecker(doctest.OutputChecker):
    """The same for a Python session."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(settled(want), settled(got), optionflags)


def settled(text: str) -> str:
    """A word in place of all that changes."""
    for changing, word in _CHANGING:
        text = changing.sub(word, text)
    return text


def _pattern(line: str) -> re.Pattern[str]:
    words = " ".join(settled(line).split())
    return re.compile(".*".join(re.escape(part) for part in words.split(GAP)))

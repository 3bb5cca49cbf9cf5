"""The name somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


def nearest(name: Any, known: Iterable[str]) -> str | None:
    """The closest of `known`, if any is close: case does not count, and an abbreviation is close."""
    by_lower = {word.lower(): word for word in known}
    wanted = str(name).lower()
    longer = [word for word in by_lower if wanted and word.startswith(wanted)]
    found = longer if len(longer) == 1 else get_close_matches(wanted, by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing: the end of an error message."""
    found = nearest(name, known)
    return f"; did you mean {found!r}?" if found else ""

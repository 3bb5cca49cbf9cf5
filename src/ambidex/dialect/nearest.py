"""The name that somebody, or a model, probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

_LONGEST = 64
"""Longer words are no misspelt names, and comparing them costs the square of their length."""
_MOST_COMPARED = 1024


def nearest_names(word: str, known: Iterable[str], *, most: int = 1) -> list[str]:
    """Up to `most` of `known` that resemble `word`, closest first; case, hyphens and spaces do not count."""
    if len(word) > _LONGEST:
        return []
    # Only a mistyped name pays for this import; at the top every start would.
    from difflib import get_close_matches

    by_plain = {_plain(name): name for name in islice(known, _MOST_COMPARED)}
    return [by_plain[found] for found in get_close_matches(_plain(word), by_plain, n=most, cutoff=0.6)]


def nearest(name: Any, known: Iterable[str]) -> str | None:
    """The closest of `known`, if any is close; a beginning that only one of them has is close too."""
    names, wanted = list(known), _plain(str(name))
    longer = [word for word in names if wanted and _plain(word).startswith(wanted)]
    found = longer if len(longer) == 1 else nearest_names(str(name), names)
    return found[0] if found else None


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing: the end of an error message."""
    found = nearest(name, known)
    return f"; did you mean {found!r}?" if found else ""


def _plain(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_")

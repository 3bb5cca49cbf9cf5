"""A snippet: the sentences of a passage that answer best, and where the query's words stand in them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ambidex.capabilities.kb.search.passages import Span, pieces
from ambidex.capabilities.kb.search.words import WORD, root

LENGTH = 300
ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Snippet:
    text: str
    marks: tuple[Span, ...]


def snippet(text: str, span: Span, words: Collection[str]) -> Snippet:
    """At most `LENGTH` characters of `text[span]`, on sentence borders where sentences are short enough."""
    passage = text[slice(*span)]
    roots = {root(word) for word in words}
    found = [(piece, _roots(passage, piece) & roots) for piece in pieces(passage, longest=LENGTH)]
    start, stop = _window(passage, found)
    shown = " ".join(passage[start:stop].split())
    before = ELLIPSIS if shown and text[: span[0] + start].strip() else ""
    after = ELLIPSIS if shown and text[span[0] + stop :].strip() else ""
    whole = f"{before}{shown}{after}"
    return Snippet(whole, tuple(m.span() for m in WORD.finditer(whole) if root(m[0]) in roots))


def _roots(passage: str, piece: Span) -> set[str]:
    return {root(word) for word in WORD.findall(passage, *piece)}


def _window(passage: str, found: list[tuple[Span, set[str]]]) -> Span:
    """The run of sentences that holds most of the query's words; of equals, the first and then the longest."""
    best, window = -1, (0, 0)
    for first, ((start, _), _) in enumerate(found):
        held: set[str] = set()
        for (_, stop), roots in found[first:]:
            if len(passage[start:stop].rstrip()) > LENGTH:
                break
            held |= roots
            longer = start == window[0] and len(held) == best
            if len(held) > best or longer:
                best, window = len(held), (start, stop)
    return window

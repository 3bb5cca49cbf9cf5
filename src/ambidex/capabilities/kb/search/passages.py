"""A long text as passages: pieces that an embedder reads whole, cut between sentences."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

LENGTH = 1_000
"""Characters of a passage: about 220 tokens of English, so that title and passage fit into 256."""
_TAIL = 250
"""An end shorter than this says too little alone and joins the passage before it."""
_BORDER = re.compile(r"[.!?…][\"'”’)\]]*\s+|\n\s*\n\s*|\n(?=\s*[-*#>|•])|[。！？]")

Span = tuple[int, int]


def passages(text: str) -> list[Span]:
    """Where each passage begins and ends. An empty text is one empty passage: its title can still be found."""
    spans: list[Span] = []
    start = stop = 0
    for _, end in pieces(text):
        if end - start > LENGTH and stop > start:
            spans.append((start, stop))
            start = stop
        stop = end
    if spans and stop - start < _TAIL:
        return [*spans[:-1], (spans[-1][0], stop)]
    return [*spans, (start, stop)]


def pieces(text: str, *, longest: int = LENGTH) -> Iterator[Span]:
    """Sentences, one after another without a gap; one that is too long is cut at a blank, or anywhere."""
    for start, stop in sentences(text):
        while stop - start > longest:
            blank = text.rfind(" ", start + longest // 2, start + longest)
            cut = start + longest if blank < 0 else blank + 1
            yield start, cut
            start = cut
        yield start, stop


def sentences(text: str) -> Iterator[Span]:
    start = 0
    for border in _BORDER.finditer(text):
        yield start, border.end()
        start = border.end()
    if start < len(text):
        yield start, len(text)


def embedded_text(title: str, tags: Sequence[str], passage: str) -> str:
    """What an embedder reads: a passage alone may not say what it is about, title and tags do."""
    heading = f"{title} ({', '.join(tags)})" if tags else title
    return f"{heading}\n{passage}".strip()


def passage_hash(title: str, tags: Sequence[str], passage: str) -> str:
    return hashlib.sha256(embedded_text(title, tags, passage).encode()).hexdigest()

"""A long text as passages, in which words are searched, and each passage as windows, which get a vector each.

Both are cut between sentences. Words of a question may stand far apart, so passages are long; a vector of many
sentences is near to nothing in particular, so windows are short.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

LENGTH = 1_000
"""Characters of a passage."""
WINDOW = 350
"""Characters of a window, unless its only sentence is longer: two or three sentences of English."""
_TAIL = 250
"""An end shorter than this says too little alone and joins the passage before it."""
_BORDER = re.compile(r"[.!?…][\"'”’)\]]*\s+|\n\s*\n\s*|\n(?=\s*[-*#>|•])|[。！？]")
_WORDS = re.compile(r"[^\d@:/][^@:/]{0,59}")
"""No address, reference, date or amount."""

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


def passage_at(text: str, start: int) -> Span:
    """The passage that begins there. What comes much later has no say in where it ends."""
    _, length = passages(text[start : start + 3 * LENGTH])[0]
    return start, start + length


def windows(text: str, passage: Span) -> list[Span]:
    """The windows of one passage; the first begins where the passage does, and tells it apart."""
    offset, _ = passage
    spans: list[Span] = []
    start = stop = 0
    for _, end in pieces(text[slice(*passage)]):
        if end - start > WINDOW and stop > start:
            spans.append((offset + start, offset + stop))
            start = stop
        stop = end
    return [*spans, (offset + start, offset + stop)]


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


def embedded_text(title: str, tags: Sequence[str], window: str) -> str:
    """What an embedder reads: a window alone may not say what it is about, title and tags do."""
    return f"{_titled(title, tags)}\n{window}".strip()


def heading(title: str, tags: Sequence[str], metadata: Mapping[str, Any]) -> str:
    """What the whole record is about: its title, tags, and what its metadata says in words (a role, a client)."""
    said = [value for value in metadata.values() if isinstance(value, str) and _WORDS.fullmatch(value)]
    return _titled(", ".join([title, *said]), tags)


def window_hash(text: str, heading: str) -> str:
    return hashlib.sha256(f"{text}\0{heading}".encode()).hexdigest()


def _titled(title: str, tags: Sequence[str]) -> str:
    return f"{title} ({', '.join(tags)})" if tags else title

"""Capitalised words in a row, cut where a name cannot go on: the raw material of names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .words import NOT_NAMES, PARTICLES, TITLES

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_GAPS = (" ", "\u00a0")


class Word(NamedTuple):
    start: int
    end: int
    """Without the dot of an initial or a title."""
    folded: str
    capital: bool


class Segment(NamedTuple):
    """Words that may be one name."""

    words: list[Word]
    titled: bool
    """A title stands right before it."""
    cut: bool
    """A word that is no name follows without punctuation: `Martin Luther University`."""


def segments(text: str) -> Iterator[Segment]:
    """Every stretch of a run between words that cannot be part of a name."""
    for run in _runs(text):
        held: list[Word] = []
        titled = False
        for word in run:
            if word.folded in TITLES or word.folded in NOT_NAMES:
                if held:
                    yield Segment(held, titled, cut=word.folded in NOT_NAMES)
                held, titled = [], word.folded in TITLES
            else:
                held.append(word)
        if held:
            yield Segment(held, titled, cut=False)


def _runs(text: str) -> Iterator[list[Word]]:
    run: list[Word] = []
    for match in _WORD.finditer(text):
        word = Word(match.start(), match.end(), match[0].lower().replace("’", "'"), match[0][0].isupper())
        if run and not _joined(text, run[-1], word):
            yield _trimmed(run)
            run = []
        if word.capital or (run and word.folded in PARTICLES):
            run.append(word)
        elif run:
            yield _trimmed(run)
            run = []
    if run:
        yield _trimmed(run)


def _joined(text: str, left: Word, right: Word) -> bool:
    """One space between them; a dot before it only after an initial or a title."""
    between = text[left.end : right.start]
    if between.startswith(".") and (left.end - left.start == 1 or left.folded in TITLES):
        between = between[1:]
    return between in _GAPS


def _trimmed(run: list[Word]) -> list[Word]:
    """Without the particles at its end: they belong to what follows."""
    last = len(run)
    while not run[last - 1].capital:
        last -= 1
    return run[:last]

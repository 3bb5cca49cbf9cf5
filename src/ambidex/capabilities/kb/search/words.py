"""Words of a query and of a text, and when two of them are the same word.

The lexical index has a stemmer of its own; `root` follows it loosely, for marking matches in a snippet.
"""

from __future__ import annotations

import re
from functools import lru_cache

MOST_WORDS = 32
"""A query of more different words than this is a text; its first words say what it is about."""

WORD = re.compile(r"[^\W_]+")
_COMMON = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can could did do does doing for
    from get give had has have having he her him his how i if in into is it its just let me more most my no not of on
    one or our out over own please she should show so some such tell than that the their them then there these they
    this those through to too under up us very was we were what when where which while who whom whose why will with
    would you your
    """.split()
)
_ENDINGS = ("ingly", "edly", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "ly", "s")
_SHORTEST_ROOT = 3


def storable(text: str) -> str:
    """Any text as one that UTF-8 and SQLite can hold: lone surrogates and NUL become blanks."""
    return re.sub("[\x00\ud800-\udfff]", " ", text)


def query_words(query: str) -> list[str]:
    """The words that carry a query, each once; the small ones only when there is nothing else."""
    words = list(dict.fromkeys(WORD.findall(query.casefold())))
    return ([word for word in words if word not in _COMMON] or words)[:MOST_WORDS]


def content_roots(text: str) -> set[str]:
    """What the words that carry a text come down to; none where it has only small ones."""
    return {root(word) for word in WORD.findall(text.casefold()) if len(word) > 1 and word not in _COMMON}


@lru_cache(1 << 16)
def root(word: str) -> str:
    """What is left without a common English ending: `founders`, `founded` and `founding` meet."""
    word = word.casefold()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_ROOT:
            word = word[: -len(ending)]
            break
    if len(word) > _SHORTEST_ROOT and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > _SHORTEST_ROOT and word[-1] in "eiy" else word

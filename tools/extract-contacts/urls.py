"""Links: http and https only, as they stand, without the punctuation of the sentence around them."""

from __future__ import annotations

import re

from .spans import Claims

_LINK = re.compile(r"https?://[^\s<>\"{}|\\^`\x00-\x1f\x7f]+", re.IGNORECASE)
_HOST = re.compile(r"(?:[\w-]+(?:\.[\w-]+)*|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?")
_TRAILING = frozenset(".,;:!?'*_~…·。，、；：！？»›”’")
_PAIRS = {")": "(", "]": "[", "）": "（"}


def find_urls(text: str, taken: Claims) -> list[tuple[int, int]]:
    found = []
    for match in _LINK.finditer(text):
        start, end = match.start(), _without_trailing(text, match.start(), match.end())
        # Claimed even when refused: what stands inside a deceptive link is no address either.
        if taken.claim(start, end) and _is_honest(text[start:end]):
            found.append((start, end))
    return found


def _without_trailing(text: str, start: int, end: int) -> int:
    """A closing bracket belongs to the link only if the link opened it: `(see https://x.org/a_(b))`."""
    link = text[start:end]
    surplus = {closing: link.count(closing) - link.count(opening) for closing, opening in _PAIRS.items()}
    while end > start:
        last = text[end - 1]
        if last in _PAIRS and surplus[last] > 0:
            surplus[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return end


def _is_honest(link: str) -> bool:
    """A host and nothing before it: `https://bank.example@evil.example` reads as the wrong place."""
    authority = re.split(r"[/?#]", link.partition("://")[2], maxsplit=1)[0]
    return _HOST.fullmatch(authority) is not None

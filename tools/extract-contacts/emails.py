"""E-mail addresses, read outwards from each @ sign, so that the time taken is linear in the text."""

from __future__ import annotations

import re

from .spans import Claims

_LONGEST_LOCAL = 64
_LONGEST_DOMAIN = 253
_LOCAL_MARKS = "._%+-'"
_LABEL = re.compile(r"[^\W_](?:[\w-]{0,61}[^\W_])?")
_TOP_LEVEL = re.compile(r"[^\W\d_]{2,63}|xn--[a-z0-9-]{1,59}", re.IGNORECASE)


def find_emails(text: str, taken: Claims) -> list[tuple[int, int]]:
    found = []
    at = text.find("@")
    while at >= 0:
        start, end = _local_start(text, at), _domain_end(text, at)
        if start < at and end > at + 1 and taken.claim(start, end):
            found.append((start, end))
        at = text.find("@", at + 1)
    return found


def _local_start(text: str, at: int) -> int:
    """Where the part before the @ begins; `at` itself when there is none."""
    start = at
    while start > 0 and at - start <= _LONGEST_LOCAL and _is_local(text[start - 1]):
        start -= 1
    if at - start > _LONGEST_LOCAL or text[at - 1 : at] == ".":
        return at
    # Two dots in a row are a sentence running on (`see...bob@x.org`), and no address begins with a mark.
    if (dots := text.rfind("..", start, at)) >= 0:
        start = dots + 2
    while start < at and text[start] in _LOCAL_MARKS:
        start += 1
    return start


def _domain_end(text: str, at: int) -> int:
    """Where the domain after the @ ends; `at` when there is none."""
    end = at + 1
    while end < len(text) and end - at <= _LONGEST_DOMAIN + 1 and (_is_letter_or_digit(text[end]) or text[end] in ".-"):
        end += 1
    while end > at + 1 and text[end - 1] in ".-":
        end -= 1
    domain = text[at + 1 : end]
    # A sentence may follow without a space (`bob@x.org...thanks`): the domain ends at the double dot.
    domain = domain.partition("..")[0]
    *labels, top = domain.split(".")
    good = labels and all(_LABEL.fullmatch(label) for label in labels) and _TOP_LEVEL.fullmatch(top)
    return at + 1 + len(domain) if good and len(domain) <= _LONGEST_DOMAIN else at


def _is_local(character: str) -> bool:
    return _is_letter_or_digit(character) or character in _LOCAL_MARKS


def _is_letter_or_digit(character: str) -> bool:
    """ASCII and accented Latin. Scripts without spaces between words would run into the address."""
    return character.isalnum() and character < "\u0250"

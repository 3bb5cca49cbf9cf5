"""Names of people, by rules alone: a name counts only with evidence that it is one.

Evidence is a title before it, a known given name in it, an introduction, an e-mail address that spells it, or its place
under the closing words of a letter. Capital letters alone are none: most of what is capitalised is nobody.
"""

from __future__ import annotations

import re
import unicodedata

from .runs import Segment, Word, segments
from .spans import Claims
from .words import CLOSINGS, GIVEN_NAMES, INTRODUCTIONS, NAMINGS

_LONGEST = 4
_LOOK_BACK = 24
_PIECES = re.compile(r"[^\W\d_]+")


def find_people(text: str, emails: list[tuple[int, int]], taken: Claims) -> list[tuple[int, int]]:
    mailboxes = {start for start, _ in emails}
    spelled = {piece for start, end in emails for piece in _PIECES.findall(_plain(text[start:end].partition("@")[0]))}
    found = []
    for segment in segments(text):
        words = _name_in(segment, text, mailboxes, spelled)
        if words and taken.claim(words[0].start, words[-1].end):
            found.append((words[0].start, words[-1].end))
    return found


def _name_in(segment: Segment, text: str, mailboxes: set[int], spelled: set[str]) -> list[Word]:
    """The words of the segment that are a name; none when the evidence is wanting."""
    words = segment.words
    if len(words) <= _LONGEST:
        if segment.titled or _stands_as_name(words, text, mailboxes):
            return words
        if len(words) > 1 and not segment.cut and _spelled_by(words, spelled):
            return words
    if segment.cut:
        return []
    return _from_given_name(words)


def _stands_as_name(words: list[Word], text: str, mailboxes: set[int]) -> bool:
    """Whether its place in the text says so."""
    start, end = words[0].start, words[-1].end
    before = text[max(0, start - _LOOK_BACK) : start].lower().replace("’", "'").rstrip()
    if _ends_in(before, NAMINGS) or (text[end : end + 2] == " <" and end + 2 in mailboxes):
        return True
    if _ends_in(before, INTRODUCTIONS) or _is_signature(text, start, end):
        return len(words) > 1 or _is_given(words[0])
    return False


def _ends_in(before: str, phrases: tuple[str, ...]) -> bool:
    """Whether the last words are one of the phrases; the end of a longer word is none (`photo:` is not `to:`)."""
    return any(before.endswith(phrase) and not before[: -len(phrase)][-1:].isalnum() for phrase in phrases)


def _is_signature(text: str, start: int, end: int) -> bool:
    """Alone on its line, right below a closing such as `Kind regards,`."""
    head, newline, line = text[max(0, start - 2 * _LOOK_BACK) : start].rpartition("\n")
    if not newline or line.strip() or text[end : end + 1] not in ("", "\n", "\r"):
        return False
    closing = head.rstrip().rpartition("\n")[2]
    return closing.strip(" ,.!\t\r").lower() in CLOSINGS


def _spelled_by(words: list[Word], spelled: set[str]) -> bool:
    """Whether an address of the text spells it: `ada@`, `okafor@`, `ada.okafor@`, `aokafor@`, `adaokafor@`."""
    first, last = _plain(words[0].folded), _plain(words[-1].folded)
    whole_words = {name for name in (first, last) if len(name) > 2}
    return not spelled.isdisjoint({first[:1] + last, first + last, *whole_words})


def _from_given_name(words: list[Word]) -> list[Word]:
    """From the first known given name on: what stands before it began the sentence (`Tell Maria Lopez`)."""
    first = next((index for index, word in enumerate(words) if _is_given(word)), len(words))
    name = words[first:]
    return name if 2 <= len(name) <= _LONGEST else []


def _is_given(word: Word) -> bool:
    return _plain(word.folded).partition("-")[0] in GIVEN_NAMES


def _plain(text: str) -> str:
    """Lower case without accents: addresses and lists are written so."""
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return "".join(character for character in decomposed if not unicodedata.combining(character))

"""A record as sentences that may be said: those of its text, and its fields as far as a question asks for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ambidex.capabilities.kb.search.words import content_roots

_BORDER = re.compile(
    r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bSt\.)(?<!\bNo\.)(?<!\be\.g\.)(?<!\bi\.e\.)"
    r"(?<=[.!?])[\"”)]?\s+(?=[\"“(]?[A-Z0-9])|\n{2,}|\n(?=\s*[-*#•|>\d])"
)
_HEADING = re.compile(r"#|\||={3}|-{3}|```")
_MARK = re.compile(r"^(?:[-*•>]|\d+[.)])\s+")
_LEANS = re.compile(
    r"(?:That|This|These|Those|Then|But|And|So|However|Instead|Otherwise|Therefore|Both|Neither|Such|After that"
    r"|Before that|The (?:former|latter|other|others|second|third|rest))\b"
)
_MOST = 60
_LONGEST = 320
_SHORTEST = 15
_ASKED_AS: Mapping[str, tuple[str, ...]] = {
    r"\bwhen\b|\bsince when\b": ("start", "end", "joined", "date", "due", "opened"),
    r"\bhow much\b|\bcosts?\b|\bexpensive\b": ("price", "budget", "cost", "rate"),
    r"\breach\b|\bcontact\b|\bwrite to\b|\bcall\b": ("email", "phone"),
    r"\bwho (?:leads?|runs|is in charge)\b": ("lead", "owner"),
    r"\bfor whom\b|\bcustomer\b": ("client",),
}
"""Fields that answer a question without sharing a word with it."""


@dataclass(frozen=True, slots=True)
class Sentence:
    record: Mapping[str, Any]
    place: int
    """Of the record among the results."""
    order: int
    """Of the sentence in the record; a field has none, and stands before them all."""
    text: str
    roots: set[str] = field(compare=False)

    @property
    def is_field(self) -> bool:
        return self.order < 0

    @property
    def opens(self) -> bool:
        """It is the first one, which mostly says what the record is about."""
        return self.order == 0

    @property
    def leans(self) -> bool:
        """It cannot be understood without the one before it."""
        return self.order > 0 and _LEANS.match(self.text) is not None


def sentences_of(record: Mapping[str, Any], place: int, question: str) -> list[Sentence]:
    text = str(record.get("full_text") or record.get("snippet") or "")
    pieces = [_cleaned(piece) for piece in _BORDER.split(text)]
    told = ([piece for piece in pieces if _is_sentence(piece)] or [piece for piece in pieces if piece][:1])[:_MOST]
    facts = [Sentence(record, place, -1, fact, content_roots(fact)) for fact in _facts(record, question)]
    return facts + [
        Sentence(record, place, order, _shortened(piece), content_roots(piece)) for order, piece in enumerate(told)
    ]


def title_of(record: Mapping[str, Any]) -> str:
    return " ".join(str(record.get("title") or "untitled").split())


def introduced(record: Mapping[str, Any]) -> str:
    """A person with their role: that is what many questions are about."""
    role = (record.get("metadata") or {}).get("role")
    return f"{title_of(record)}, {role}" if isinstance(role, str) and role else title_of(record)


def about(record: Mapping[str, Any]) -> set[str]:
    """The words by which one asks for the record itself."""
    tags = [tag for tag in record.get("tags") or () if isinstance(tag, str)]
    return content_roots(" ".join([introduced(record), str(record.get("id", "")), *tags]))


def _facts(record: Mapping[str, Any], question: str) -> list[str]:
    """What a record says in fields rather than in sentences: "Budget: 240000." The role is told with the name."""
    asked = content_roots(question)
    also = {name for shape, names in _ASKED_AS.items() if re.search(shape, question, re.IGNORECASE) for name in names}
    plain = {
        name: value
        for name, value in (record.get("metadata") or {}).items()
        if isinstance(value, str | int | float) and name != "role" and (name in also or content_roots(name) & asked)
    }
    return [f"{name.replace('_', ' ').capitalize()}: {value}." for name, value in plain.items()]


def _cleaned(piece: str) -> str:
    """Without the marks of lists and of strong words."""
    return _MARK.sub("", " ".join(piece.split())).replace("**", "")


def _is_sentence(piece: str) -> bool:
    """Headings, rows of tables and crumbs of lists are none."""
    return (
        not _HEADING.match(piece) and len(piece) > _SHORTEST and (piece[-1] in '.!?:;"”)' or len(piece) > 4 * _SHORTEST)
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"

"""Answers made of sentences that records hold, with the ids they stand on. Nothing is put in other words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ambidex.offline.meaning import Meaning
from ambidex.offline.words import content_words

MakeMeaning: TypeAlias = Callable[[Sequence[str]], Meaning]
"""Learns some sentences, so that a question can be compared with them."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“(A-Z0-9])|\n{2,}|\n(?=[-*#•\d])")
_LOOKED_AT = 3
"""Records whose sentences are compared with the question; later ones are only named."""
_SENTENCES = 60
_SAID = 2
_LONGEST = 320
_SAME_WORDS = 0.3
_RIGHT_KIND = 0.15
_OPENING = 0.1
_LATER_RECORD = 0.05
"""What a place further down costs: the search ordered the records by more than one sentence."""
_NOTHING = "I found nothing relevant about that in the knowledge base."


@dataclass(frozen=True, slots=True)
class _Candidate:
    record: Mapping[str, Any]
    place: int
    """Of the record among the results."""
    order: int
    """Of the sentence in the record."""
    text: str
    opens: bool = False
    """It is the first sentence, which mostly says what the record is about."""


def answer_from(records: Sequence[Mapping[str, Any]], question: str, meaning: MakeMeaning, *, links: bool) -> str:
    """The best sentences of the best record, then what else was found, by id. `links`: also where to read on."""
    if not records:
        return _NOTHING
    candidates = _ranked(_candidates(records[:_LOOKED_AT]), question, meaning)
    best = candidates[0].record if candidates else records[0]
    chosen = [candidate for candidate in candidates if candidate.record is best][:_SAID]
    said = " ".join(candidate.text for candidate in sorted(chosen, key=lambda one: one.order))
    lines = [
        f"Based on {best['id']} ({_introduced(best)}): {said}" if said else f"There is {best['id']} ({_title(best)})."
    ]
    if links and best.get("url"):
        lines.append(f"Read on: {best['url']}" + ("" if best.get("url_verified", True) else " (link not verified)"))
    if others := [f"{record['id']} ({_title(record)})" for record in records[:_LOOKED_AT] if record is not best]:
        lines.append(f"Also found: {', '.join(others)}.")
    return "\n\n".join(lines)


def nothing_relevant() -> str:
    return _NOTHING + " Other words may help, or the name of a person, a project or a document."


def _candidates(records: Sequence[Mapping[str, Any]]) -> list[_Candidate]:
    found: list[_Candidate] = []
    for place, record in enumerate(records):
        text = record.get("full_text") or record.get("snippet") or ""
        pieces = [" ".join(piece.split()) for piece in _SENTENCE.split(text)]
        facts = _facts(record)
        told = [*facts, *([piece for piece in pieces if _is_sentence(piece)] or pieces[:1])][:_SENTENCES]
        found += [
            _Candidate(record, place, order, _shortened(piece), opens=order == len(facts))
            for order, piece in enumerate(told)
            if piece
        ]
    return found


def _facts(record: Mapping[str, Any]) -> list[str]:
    """What a record says in fields rather than in sentences: "Role: Founder." """
    metadata = record.get("metadata") or {}
    plain = {name: value for name, value in metadata.items() if isinstance(value, str | int | float) and name != "role"}
    return [f"{name.replace('_', ' ').capitalize()}: {value}." for name, value in plain.items()]


def _is_sentence(piece: str) -> bool:
    """Headings and crumbs of lists are none."""
    return not piece.startswith("#") and len(piece) > 15 and (piece[-1] in '.!?:;"”)' or len(piece) > 60)


def _ranked(candidates: list[_Candidate], question: str, meaning: MakeMeaning) -> list[_Candidate]:
    """Nearest first: by meaning, and by the words that question and sentence share."""
    if not candidates:
        return []
    asked = {word[:5] for word in content_words(question)}
    near = meaning([f"{_title(one.record)}: {one.text}" for one in candidates]).nearness(question)
    scored = [(value + _bonus(one, question, asked), one) for value, one in zip(near, candidates, strict=True)]
    return [one for _, one in sorted(scored, key=lambda pair: -pair[0])]


def _bonus(one: _Candidate, question: str, asked: set[str]) -> float:
    place = _OPENING * one.opens - _LATER_RECORD * one.place
    return _SAME_WORDS * _shared(asked, one.text) + _kind(question, one.record) + place


def _kind(question: str, record: Mapping[str, Any]) -> float:
    """Who asks for a person, how for a process."""
    asked = re.match(r"\W*(who|how)\b(?! (?:many|much|long|often))", question.lower())
    wanted = {"who": "person", "how": "process"}[asked[1]] if asked else None
    return _RIGHT_KIND if wanted and record.get("type") == wanted else 0.0


def _shared(asked: set[str], sentence: str) -> float:
    held = {word[:5] for word in content_words(sentence)}
    return len(asked & held) / len(asked) if asked else 0.0


def _introduced(record: Mapping[str, Any]) -> str:
    """A person with their role: that is what many questions are about."""
    role = (record.get("metadata") or {}).get("role")
    return f"{_title(record)}, {role}" if isinstance(role, str) and role else _title(record)


def _title(record: Mapping[str, Any]) -> str:
    return " ".join(str(record.get("title") or "untitled").split())


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"

"""Answers made of sentences that records hold, with the ids they stand on. Nothing is put in other words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ambidex.capabilities.kb.search.relevance import coverage, rarity
from ambidex.capabilities.kb.search.words import content_roots
from ambidex.offline.meaning import Meaning
from ambidex.offline.sentences import Sentence, about, introduced, sentences_of, title_of
from ambidex.offline.slots.shipped import query_of
from ambidex.offline.words import without_courtesy

MakeMeaning: TypeAlias = Callable[[Sequence[str]], Meaning]
"""Learns some sentences, so that a question can be compared with them."""

_READ = 3
"""Records whose sentences may be said; later ones are not even named."""
_COMPARED = 8
"""Sentences whose meaning is compared: each takes an embedder milliseconds, so words choose them."""
_SAID = 3
_SAME_WORDS = 0.5
_RIGHT_KIND = 0.15
_OPENING = 0.1
_FIELD = 0.4
"""A field is only there when it was asked for."""
_FOUND = 0.1
"""The search showed it: it knows the meaning of the part that it stands in."""
_LATER_RECORD = 0.1
"""What a place further down costs: the search ordered the records by more than one sentence."""
_NEARLY = 0.3
"""A sentence this much below the best is said, too."""
_NOTHING = "I found nothing relevant about that in the knowledge base."

Scored: TypeAlias = list[tuple[float, Sentence]]


def answer_from(records: Sequence[Mapping[str, Any]], question: str, meaning: MakeMeaning, *, links: bool) -> str:
    """The best sentences of the best record, what they stand on, and what else was found. `links`: where to read on."""
    if not records:
        return _NOTHING
    question = query_of(without_courtesy(question))
    everything = [one for place, record in enumerate(records[:_READ]) for one in sentences_of(record, place, question)]
    ranked = _ranked(everything, question, meaning)
    best = ranked[0][1].record if ranked else records[0]
    own = [one for one in everything if one.record is best]
    said = _chosen(own, [pair for pair in ranked if pair[1].record is best], question)
    lines = [_spoken(best, said), f"Based on {best['id']} ({introduced(best)})."]
    if links and best.get("url"):
        lines.append(f"Read on: {best['url']}" + ("" if best.get("url_verified", True) else " (link not verified)"))
    if others := [f"{record['id']} ({title_of(record)})" for record in records[:_READ] if record is not best]:
        lines.append(f"Also found: {', '.join(others)}.")
    return "\n\n".join(filter(None, lines))


def nothing_relevant() -> str:
    return _NOTHING + " Other words may help, or the name of a person, a project or a document."


def _ranked(sentences: list[Sentence], question: str, meaning: MakeMeaning) -> Scored:
    """Best first: by the words they share with the question, and the best of those by meaning, too."""
    asked = content_roots(question)
    weights = {
        word: rarity(len(sentences), sum(word in one.roots for one in sentences))
        for word in asked
        if any(word in one.roots | about(one.record) for one in sentences)
    }
    by_words = sorted(((_by_words(one, question, weights), one) for one in sentences), key=lambda pair: -pair[0])[
        :_COMPARED
    ]
    if not by_words:
        return []
    near = meaning([one.text for _, one in by_words]).nearness(question)
    scored = [(score + value, one) for (score, one), value in zip(by_words, near, strict=True)]
    return sorted(scored, key=lambda pair: -pair[0])


def _by_words(one: Sentence, question: str, weights: Mapping[str, float]) -> float:
    held = (one.roots | about(one.record)) & weights.keys()
    shown = one.text in " ".join(str(one.record.get("snippet") or "").split())
    place = _OPENING * one.opens + _FIELD * one.is_field + _FOUND * shown - _LATER_RECORD * one.place
    return _SAME_WORDS * coverage(held, weights) + _kind(question, one.record) + place


def _kind(question: str, record: Mapping[str, Any]) -> float:
    """Who asks for a person, how for a process."""
    asked = re.match(r"\W*(who|how)\b(?! (?:many|much|long|often))", question.lower())
    wanted = {"who": "person", "how": "process"}[asked[1]] if asked else None
    return _RIGHT_KIND if wanted and record.get("type") == wanted else 0.0


def _chosen(own: list[Sentence], ranked: Scored, question: str) -> list[Sentence]:
    """At most three, in the order of the record; none that cannot be understood without one that is not said."""
    text = [one for one in own if one.order >= 0]
    if not own or _asks_for_record(question, own[0].record):
        return text[:_SAID]
    said: list[Sentence] = text[:1] if _asks_for_person(question, own[0].record) else []
    least = ranked[0][0] - _NEARLY
    for score, one in ranked:
        more = [other for other in _with_what_it_leans_on(one, text) if other not in said]
        if score >= least and len(said) + len(more) <= _SAID:
            said += more
    return sorted(said, key=lambda one: one.order)


def _asks_for_record(question: str, record: Mapping[str, Any]) -> bool:
    """For itself, by most words of its title; a person by any name."""
    asked, title = content_roots(question), content_roots(title_of(record))
    named = record.get("type") == "person" or len(asked & title) * 2 > len(title)
    return asked <= about(record) and (named or not asked)


def _asks_for_person(question: str, record: Mapping[str, Any]) -> bool:
    return record.get("type") == "person" and re.match(r"\W*who(?:m|se)?\b", question.lower()) is not None


def _with_what_it_leans_on(one: Sentence, text: list[Sentence]) -> list[Sentence]:
    together = [one]
    while together[0].leans and len(together) < _SAID:
        together.insert(0, text[together[0].order - 1])
    return together


def _spoken(record: Mapping[str, Any], said: list[Sentence]) -> str:
    """With the name of what it is about in front, where the sentences do not name it themselves."""
    if not said:
        return ""
    text = " ".join(one.text for one in said)
    return text if said[0].roots & content_roots(title_of(record)) else f"{introduced(record)}: {text}"

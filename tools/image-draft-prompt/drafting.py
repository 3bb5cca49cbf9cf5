"""From a brief to variants: what it is a picture of decides the approaches, its mood words decide the palette."""

from __future__ import annotations

import re

from .looks import APPROACHES, PALETTES, SUBJECTS, Approach

_WORD = re.compile(r"[^\W\d_]+")
_QUOTED = re.compile(r"[\"“„][^\"“”„]+[\"“”]")


def draft(brief: str, style: str, count: int) -> list[dict[str, str]]:
    """`count` variants, each of another approach and therefore distinct."""
    # What is only lettering says nothing about the picture: "Open House" is no house.
    words = {word.casefold() for word in _WORD.findall(_QUOTED.sub(" ", brief))}
    approaches = APPROACHES[_subject(words)][:count]
    return [_variant(brief, style, approach, _palette(words) or approach.palette) for approach in approaches]


def _subject(words: set[str]) -> str:
    """The kind of picture that most words of the brief speak for; the first of equals; `scene` when none does."""
    scores = {kind: len(words & cues) for kind, cues in SUBJECTS.items()}
    best = max(scores, key=lambda kind: scores[kind])
    return best if scores[best] else "scene"


def _palette(words: set[str]) -> str | None:
    """The palette of the mood that the brief names; None when it names none."""
    return next((palette for cues, palette in PALETTES if words & cues), None)


def _variant(brief: str, style: str, approach: Approach, palette: str) -> dict[str, str]:
    look = style or approach.style
    sentences = [
        f"{brief.rstrip('.')}.",
        f"Style: {look}.",
        f"Composition: {approach.composition}.",
        f"Light: {approach.light}.",
        # A medium belongs to the style it was chosen for; beside the user's own style it would contradict it.
        *([] if style else [f"Technique: {approach.technique}."]),
        f"Palette: {palette}.",
        _lettering(brief),
    ]
    return {"prompt": " ".join(sentences), "style": look, "notes": approach.notes}


def _lettering(brief: str) -> str:
    """Generators add lettering unasked and misspell it when asked; both are said plainly."""
    if not _QUOTED.search(brief):
        return "No text, no logos, no watermark."
    return "The only text is what stands in quotation marks above, spelled exactly so, large and legible; no watermark."

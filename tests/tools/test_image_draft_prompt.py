"""image_draft_prompt: distinct drafts that keep the brief and the style, and fit an image generator."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tools.calling import module_of, run

TEXT: dict[str, Any] = {"mode": "text"}
LONGEST_PROMPT = 2000
"""What image_generate takes."""

CHARACTERS = st.characters(codec="utf-8", exclude_characters="\0")
"""All that arguments may hold; the pipeline refuses the rest before a handler sees it."""
BRIEFS = st.text(CHARACTERS, min_size=1, max_size=1000).filter(lambda text: text.strip())
looks = module_of("image-draft-prompt", "looks")


@given(brief=BRIEFS, style=st.none() | st.text(CHARACTERS, max_size=100), count=st.integers(1, 4))
@settings(max_examples=100, deadline=None)
async def test_drafts_are_distinct_keep_the_brief_and_fit_the_generator(
    brief: str, style: str | None, count: int
) -> None:
    args = {"brief": brief, "variants": count} | ({} if style is None else {"style": style})
    outcome = await run("image-draft-prompt", args, TEXT)
    variants = outcome.envelope["data"]["variants"]
    assert len({variant["prompt"] for variant in variants}) == len(variants) == count
    for variant in variants:
        assert variant["prompt"].startswith(" ".join(brief.split()).rstrip("."))
        assert len(variant["prompt"]) <= LONGEST_PROMPT
        if style and style.strip():
            assert variant["style"] == " ".join(style.split())


async def test_without_a_style_every_variant_has_another() -> None:
    outcome = await run("image-draft-prompt", {"brief": "a quiet harbour", "variants": 4}, TEXT)
    assert len({variant["style"] for variant in outcome.envelope["data"]["variants"]}) == 4


async def test_a_given_style_is_not_contradicted_by_another_technique() -> None:
    outcome = await run("image-draft-prompt", {"brief": "a quiet harbour", "style": "woodcut"}, TEXT)
    assert all("lens" not in variant["prompt"] for variant in outcome.envelope["data"]["variants"])


async def test_the_same_brief_gives_the_same_drafts() -> None:
    first = await run("image-draft-prompt", {"brief": "a team at work"}, TEXT)
    second = await run("image-draft-prompt", {"brief": "a team at work"}, TEXT)
    assert first.envelope["data"] == second.envelope["data"]


def test_every_kind_of_picture_has_four_different_approaches() -> None:
    assert set(looks.SUBJECTS) | {"scene"} == set(looks.APPROACHES)
    for approaches in looks.APPROACHES.values():
        assert len({approach.style for approach in approaches}) == 4
        assert len({approach.composition for approach in approaches}) == 4


def test_no_word_speaks_for_two_kinds_of_picture() -> None:
    words = [word for cues in looks.SUBJECTS.values() for word in cues]
    assert len(words) == len(set(words))

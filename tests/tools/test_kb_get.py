"""kb_get: how a record begins, where no query says which part of it matters."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tools.calling import module_of

opening_module = module_of("kb-get", "opening")
opening, LONGEST = opening_module.opening, opening_module.LONGEST
WORDS = st.lists(st.sampled_from(["quay", "lamp.", "it?", "#", "\n", "\n\n## Part\n", "a" * 400, "3.5"]), max_size=80)


@given(words=WORDS)
@settings(max_examples=100)
def test_a_beginning_is_short_and_taken_from_the_text(words: list[str]) -> None:
    text = " ".join(words)
    begins = opening(text)
    assert len(begins) <= LONGEST
    assert begins.removesuffix("…") in " ".join(opening_module._HEADING.sub("", text).split())


def test_whole_sentences_are_kept_where_they_fit() -> None:
    text = " ".join(f"Sentence number {number} says little." for number in range(30))
    begins = opening(text)
    assert begins.endswith("says little.")
    assert LONGEST - 40 < len(begins) <= LONGEST


def test_a_sentence_that_does_not_fit_is_cut_between_words() -> None:
    assert opening("word " * 200).endswith("word…")


def test_headings_are_left_out_and_an_empty_text_begins_with_nothing() -> None:
    assert opening("# Title\n\n## Part\n\nThe first sentence.") == "The first sentence."
    assert opening("") == opening("# Only a title") == ""

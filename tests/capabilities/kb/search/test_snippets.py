from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.capabilities.kb.search.snippets import LENGTH, snippet
from ambidex.capabilities.kb.search.words import query_words

FILLER = "Nothing of note happens in this sentence at all. "


def test_a_snippet_is_the_sentences_around_the_match() -> None:
    text = FILLER * 8 + "The kiln reaches 1260 degrees. " + FILLER * 8
    shown = snippet(text, (0, len(text)), ["kiln"])
    assert "The kiln reaches 1260 degrees." in shown.text
    assert shown.text.startswith("…Nothing") or shown.text.startswith("…The")
    assert shown.text.endswith(".…")


def test_marks_stand_on_the_words_of_the_query_in_any_form() -> None:
    text = "She founded the studio; founders and founding are words too."
    shown = snippet(text, (0, len(text)), query_words("who are the founders?"))
    assert [shown.text[start:stop] for start, stop in shown.marks] == ["founded", "founders", "founding"]
    assert shown.text == text


def test_the_sentences_with_more_of_the_words_win() -> None:
    text = "Clay is wet. " + FILLER * 10 + "Clay goes into the kiln on Monday."
    assert "kiln" in snippet(text, (0, len(text)), ["clay", "kiln", "monday"]).text


@given(st.text(max_size=2_000), st.text(max_size=50))
@settings(max_examples=100)
def test_any_text_and_any_query_give_a_short_snippet_with_marks_inside(text: str, query: str) -> None:
    shown = snippet(text, (0, len(text)), query_words(query))
    assert len(shown.text) <= LENGTH + 2
    assert all(0 <= start < stop <= len(shown.text) for start, stop in shown.marks)

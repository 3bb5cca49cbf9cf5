from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.capabilities.kb.search.passages import LENGTH, passages

texts = st.text(st.sampled_from("ab .!?\n-…。é"), max_size=4_000) | st.text(max_size=500)


@given(texts)
@settings(max_examples=100)
def test_passages_hold_the_whole_text_in_order(text: str) -> None:
    spans = passages(text)
    assert "".join(text[start:stop] for start, stop in spans) == text
    assert all(stop - start <= LENGTH * 1.5 for start, stop in spans)
    assert len(spans) == 1 or all(start < stop for start, stop in spans)


def test_a_text_is_cut_between_sentences() -> None:
    text = "A sentence of some length, as they come. " * 100
    spans = passages(text)
    assert len(spans) > 3
    assert all(text[start:stop].startswith("A sentence") for start, stop in spans)


def test_an_empty_text_is_one_passage_so_that_its_title_is_found() -> None:
    assert passages("") == [(0, 0)]


def test_a_short_end_joins_the_passage_before_it() -> None:
    assert passages("x" * LENGTH + " short end") == [(0, LENGTH + 10)]

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.capabilities.kb.search.passages import LENGTH, WINDOW, heading, passage_at, passages, windows

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


@given(texts)
@settings(max_examples=100)
def test_the_windows_of_a_passage_hold_the_whole_passage_in_order(text: str) -> None:
    for passage in passages(text):
        spans = windows(text, passage)
        assert (spans[0][0], spans[-1][1]) == passage
        assert all(before[1] == after[0] for before, after in pairwise(spans))


def test_a_window_is_a_few_sentences() -> None:
    text = "A sentence of some length, as they come. " * 20
    spans = windows(text, (0, len(text)))
    assert len(spans) > 1
    assert all(stop - start <= WINDOW and text[start:stop].startswith("A sentence") for start, stop in spans)


@given(texts)
@settings(max_examples=100)
def test_a_passage_is_known_by_where_it_begins(text: str) -> None:
    assert [passage_at(text, start) for start, _ in passages(text)] == passages(text)


def test_a_heading_says_what_metadata_says_in_words() -> None:
    metadata = {"role": "Shipwright", "joined": "2021-09", "email": "a@b.example", "owner": "person:b", "fee": 3}
    assert heading("Ada", ("wood", "boats"), metadata) == "Ada, Shipwright (wood, boats)"

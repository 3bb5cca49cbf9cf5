from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.capabilities.kb.search.fusion import fuse

scores = st.dictionaries(st.integers(0, 20), st.floats(0.01, 30))
cosines = st.dictionaries(st.integers(0, 20), st.floats(-1, 1))


@given(scores, cosines, st.floats(0.01, 50))
@settings(max_examples=100)
def test_every_candidate_gets_a_score_from_0_to_1_best_first(
    words: dict[int, float], meaning: dict[int, float], ideal: float
) -> None:
    fused = fuse(words, meaning, ideal=ideal)
    assert set(fused) == set(words) | set(meaning)
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in fused.values())
    assert list(fused.values()) == sorted(fused.values(), reverse=True)


def test_one_chance_word_in_common_does_not_outweigh_meaning() -> None:
    assert list(fuse({1: 1.0}, {1: 0.3, 2: 0.6}, ideal=20.0)) == [2, 1]


def test_a_text_that_holds_the_words_outweighs_one_that_is_somewhat_nearer() -> None:
    assert list(fuse({1: 8.0}, {1: 0.4, 2: 0.6}, ideal=20.0)) == [1, 2]


def test_while_vectors_are_missing_the_words_of_a_record_speak_for_its_meaning() -> None:
    assert fuse({1: 8.0, 2: 4.0}, {2: 0.5}, ideal=20.0) == {1: 1.0, 2: 0.75}


def test_the_nearest_of_a_few_vectors_passes_for_near_only_if_it_is() -> None:
    words, meaning = {1: 3.2}, {2: 0.06}
    assert fuse(words, meaning, ideal=20.0, near=0.3) == {1: 0.4, 2: 0.1}
    assert list(fuse(words, {2: 0.6}, ideal=20.0, near=0.3)) == [2, 1]

from __future__ import annotations

import pytest

from ambidex.capabilities.kb.search.words import MOST_WORDS, query_words, root, storable


def test_small_words_do_not_carry_a_query_unless_there_is_nothing_else() -> None:
    assert query_words("Who is the founder of the studio?") == ["founder", "studio"]
    assert query_words("who is it") == ["who", "is", "it"]
    assert query_words('"*(-:') == []


def test_a_query_as_long_as_a_book_is_cut() -> None:
    assert len(query_words(" ".join(f"word{n}" for n in range(1_000)))) == MOST_WORDS


@pytest.mark.parametrize(
    "forms", [("founder", "founders", "founded", "founding"), ("policy", "policies"), ("plan", "planning", "plans")]
)
def test_forms_of_a_word_have_one_root(forms: tuple[str, ...]) -> None:
    assert len({root(form) for form in forms}) == 1


def test_different_words_have_different_roots() -> None:
    assert len({root(word) for word in ("studio", "study", "student", "red", "ring", "kiln", "kin")}) == 7


def test_text_that_cannot_be_stored_becomes_text_that_can() -> None:
    assert storable("a\0b\ud800c").encode() == b"a b c"

from __future__ import annotations

import pytest

from ambidex.dialect.text import hidden_characters


@pytest.mark.threat("A08")
@pytest.mark.parametrize(
    "char", ["\u202e", "\u2066", "\u200b", "\u200d", "\u2060", "\ufeff", "\U000e0041", "\u00ad", "\x1b"]
)
def test_characters_that_a_person_does_not_see_are_found(char: str) -> None:
    assert hidden_characters(f"ab{char}c") == [(2, f"U+{ord(char):04X}")]


@pytest.mark.parametrize("text", ["plain", "naïve — “quoted” …", "日本語", "עברית", "👍️", "a\u00a0b"])
def test_honest_text_of_any_language_passes(text: str) -> None:
    assert hidden_characters(text) == []

"""Sizes in tokens: exact where the tokenizer is installed, honest where not."""

from __future__ import annotations

import sys

import pytest

from ambidex.agents.tokens import count_tokens, estimate


def test_the_count_is_exact_with_the_extra() -> None:
    pytest.importorskip("bpe_openai")
    count = count_tokens("hello world")
    assert (count.n, count.exact, count.method) == (2, True, "o200k_base")
    assert str(count) == "2 tokens (o200k_base)"


def test_special_words_are_counted_as_text() -> None:
    pytest.importorskip("bpe_openai")
    assert count_tokens("<|endoftext|>").n > 1


def test_without_the_extra_the_size_is_an_estimate_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    count = count_tokens("x" * 4001)
    assert (count.n, count.exact) == (1001, False)
    assert str(count).startswith("about 1,001 tokens (estimated")
    assert "ambidex[tokens]" in count.method


def test_nothing_has_no_tokens() -> None:
    assert estimate("").n == 0
    assert count_tokens("").n == 0

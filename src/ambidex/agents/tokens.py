"""How large a prompt is, in tokens: counted where the tokenizer is installed, estimated and said so where not."""

from __future__ import annotations

from dataclasses import dataclass

ENCODING = "o200k_base"
"""The vocabulary of OpenAI's current models; other providers' counts differ by some per cent."""

BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class TokenCount:
    n: int
    exact: bool
    """Whether `n` was counted; an estimate is for orders of magnitude."""
    method: str

    def __str__(self) -> str:
        return f"{self.n:,} tokens ({self.method})" if self.exact else f"about {self.n:,} tokens ({self.method})"


def count_tokens(text: str) -> TokenCount:
    """Exact with the extra `tokens`, else an estimate."""
    try:
        import bpe_openai
    except ImportError:
        return estimate(text)
    return TokenCount(len(bpe_openai.get_encoding(ENCODING).encode_ordinary(text)), True, ENCODING)


def estimate(text: str) -> TokenCount:
    """A quarter of the bytes, which holds for English prose within a tenth or so."""
    bytes_in_all = len(text.encode())
    return TokenCount(-(-bytes_in_all // BYTES_PER_TOKEN), False, 'estimated; count with "ambidex[tokens]"')

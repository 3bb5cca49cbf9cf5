"""Words that are slurs wherever they stand, as digests: nobody who reads this file has to read them."""

from __future__ import annotations

import hashlib

_DIGESTS = frozenset(
    (
        "08a841e99678",
        "120f6e5b4ea3",
        "12e6274e4309",
        "158869a97379",
        "16ea09fc78ca",
        "22fc75e65a0e",
        "333f76180929",
        "3b1e0d7c5dd4",
        "7ef8ddb05876",
        "886d51e97ad7",
        "8f5083e3e5c7",
        "98b52c4b6b7d",
        "9915ba2d8222",
        "b3cec2f6ece2",
        "bd331fb1d242",
        "c3de533e9b7f",
        "cc02032349c8",
        "d067075bc9d8",
        "e7b98c6aa5b9",
        "e8ce34e7eab8",
        "eef3bd091670",
        "f9d0d9b18ae9",
    )
)
_LETTERS = 12


def is_slur(word: str) -> bool:
    """In lower case; a plural counts as its singular."""
    return any(
        hashlib.sha256(form.encode()).hexdigest()[:_LETTERS] in _DIGESTS for form in (word, word.removesuffix("s"))
    )

"""Number words as digits: "twenty five" is 25, "half past ten" 10:30, "an hour" 1 hour."""

from __future__ import annotations

import re

_ONES = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen"
        " eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * (value + 2) for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())
}
_COUNTS = {"single": 1, "a couple of": 2, "a dozen": 12}

_TEN_AND_ONE = re.compile(rf"\b({'|'.join(_TENS)})[\s-]+({'|'.join(list(_ONES)[1:10])})\b", re.IGNORECASE)
_PLAIN = re.compile(rf"\b({'|'.join([*_COUNTS, *_TENS, *sorted(_ONES, key=len, reverse=True)])})\b", re.IGNORECASE)
_PART = re.compile(r"\b(half|quarter)\s+(past|to)\s+(\d{1,2})\b", re.IGNORECASE)
_AN_HOUR = re.compile(r"\ban?\s+(hour|minute|day|week)\b", re.IGNORECASE)
_HALF_HOUR = re.compile(r"\bhalf an hour\b", re.IGNORECASE)


def digits(text: str) -> str:
    """The text with its number words written as digits; everything else stays."""
    text = _HALF_HOUR.sub("30 minutes", text)
    text = _TEN_AND_ONE.sub(lambda found: str(_TENS[found[1].lower()] + _ONES[found[2].lower()]), text)
    text = _PLAIN.sub(lambda found: str(_value(found[1].lower())), text)
    text = _AN_HOUR.sub(r"1 \1", text)
    return _PART.sub(_clock, text)


def _value(word: str) -> int:
    return next(table[word] for table in (_COUNTS, _TENS, _ONES) if word in table)


def _clock(found: re.Match[str]) -> str:
    """Half and quarter hours as a clock shows them."""
    minutes = 30 if found[1].lower() == "half" else 15
    at = int(found[3]) * 60 + (minutes if found[2].lower() == "past" else -minutes)
    return f"{at // 60 % 24}:{at % 60:02}"

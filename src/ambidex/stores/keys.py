"""Composite keys that cannot collide, whatever strings users choose as their names.

`key("acme", "u1", 7)` is `acme/u1/#0000000000000000007`: readable in a shell, numbers in order, and everything under
`prefix("acme", "u1")` next to each other.
"""

from __future__ import annotations

_SEPARATOR = "/"
_NUMBER = "#"
_DIGITS = 19
"""Enough for any 63-bit number."""
_ESCAPES = str.maketrans({"%": "%25", _SEPARATOR: "%2F", _NUMBER: "%23"})


def key(*parts: str | int) -> str:
    """One key of many parts. Different parts always give different keys; `7` and `"7"` are different."""
    if not parts:
        raise ValueError("a key has at least one part")
    return _SEPARATOR.join([_part(part) for part in parts])


def prefix(*parts: str | int) -> str:
    """What exactly those keys begin with whose first parts are these, and that have more."""
    return "".join([_part(part) + _SEPARATOR for part in parts])


def _part(part: str | int) -> str:
    if isinstance(part, str):
        # Nearly every part is an id that needs no escaping, and three searches cost less than one translation.
        return part.translate(_ESCAPES) if "%" in part or _SEPARATOR in part or _NUMBER in part else part
    if not 0 <= part < 10**_DIGITS:
        raise ValueError(f"{part} does not sort as a key: numbers are from 0 to {_DIGITS} digits")
    return f"{_NUMBER}{part:0{_DIGITS}d}"

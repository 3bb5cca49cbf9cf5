"""Characters that a person does not see and a model reads: bidirectional controls, zero-width and tag characters."""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)


def hidden_characters(text: str) -> list[tuple[int, str]]:
    """Offset and name (`U+202E`) of each; empty for honest text."""
    if text.isascii() and text.isprintable():
        return []
    return [(match.start(), f"U+{ord(match.group()):04X}") for match in _HIDDEN.finditer(text)]

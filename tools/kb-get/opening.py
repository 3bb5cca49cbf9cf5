"""How a record begins: its snippet where no query says which part matters."""

from __future__ import annotations

import re

LONGEST = 320
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*(?=\s)")
_HEADING = re.compile(r"^#{1,6}\s+.*$", re.MULTILINE)


def opening(text: str) -> str:
    """The first sentences, as many as fit; headings say nothing that the title does not."""
    plain = " ".join(_HEADING.sub("", text[: 4 * LONGEST]).split())
    if len(plain) <= LONGEST:
        return plain
    kept = plain[: LONGEST - 1]
    ends = [match.end() for match in _SENTENCE_END.finditer(kept)]
    return kept[: ends[-1]] if ends else kept.rpartition(" ")[0] + "…" if " " in kept else kept + "…"

"""Are the texts and numbers of schema.json what every reader takes them for?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from ambidex.authoring.finding import Finding
from ambidex.authoring.source import Source
from ambidex.dialect.pointer import child
from ambidex.dialect.text import hidden_characters


def texts_are_visible(source: Source) -> Iterator[Finding]:
    if source.schema is None or (source.schema_text.isascii() and "\\u" not in source.schema_text):
        return
    for pointer, text in _leaves(source.schema, ""):
        if not isinstance(text, str):
            continue
        if any(0xD800 <= ord(char) < 0xE000 for char in text):
            yield source.finding("AX125", pointer, "holds half of a Unicode character", "remove it", value=True)
        for _, name in hidden_characters(text.replace("\n", " ").replace("\t", " ").replace("\r", " "))[:1]:
            yield source.finding("AX121", pointer, f"holds the hidden character {name}", "remove it", value=True)


def numbers_are_portable(source: Source) -> Iterator[Finding]:
    for pointer, number in _leaves(source.schema, ""):
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            continue
        if not math.isfinite(number) or (isinstance(number, int) and abs(number) >= 2**53):
            yield source.finding("AX124", pointer, "is a number that not every reader keeps", "use a smaller one")


def _leaves(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    """Every value that holds no other, and every key, with its place."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, child(pointer, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield child(pointer, key), key
            yield from _leaves(item, child(pointer, key))
    else:
        yield pointer, value


CHECKS: tuple[Callable[[Source], Iterator[Finding]], ...] = (texts_are_visible, numbers_are_portable)

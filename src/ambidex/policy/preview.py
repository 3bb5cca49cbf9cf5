"""What a person reads before approving: the headline, and below it every argument that will run."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from ambidex.contracts.spec import ToolSpec
from ambidex.dialect.preview import placeholders
from ambidex.dialect.text import hidden_characters

_PLAIN_NAME = re.compile(r"[\w-]+")
_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp"})
"""Categories of characters that draw nothing, or begin a line."""
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def preview_of(tool: ToolSpec, args: Mapping[str, Any], *, warning: str = "") -> str:
    """The headline, a warning where there is cause, and one line for each value, however many there are."""
    lines = [_headline(tool, args)]
    if warning:
        lines.append(warning)
    lines += [f"  {place}: {value}" for place, value in _values(args, "")]
    return "\n".join(lines)


def _headline(tool: ToolSpec, args: Mapping[str, Any]) -> str:
    if not tool.preview:
        return visible(tool.description)
    placeholders(tool.preview)  # the build checked it; a foreign artifact gets no further than this
    return _PIECE.sub(lambda piece: _fill(piece, args), tool.preview)


def _fill(piece: re.Match[str], args: Mapping[str, Any]) -> str:
    if piece.group() in ("{{", "}}"):
        return piece.group()[0]
    value: Any = args
    for step in piece.group(1).split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    if isinstance(value, str):
        return visible(value)
    return "" if value is None else visible(orjson.dumps(value).decode())


def _values(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield from _values(item, f"{place}.{_name(name)}" if place else _name(name))
    elif isinstance(value, (list, tuple)) and value:
        for index, item in enumerate(value):
            yield from _values(item, f"{place}[{index + 1}]")
    else:
        yield place, visible(orjson.dumps(value).decode())


def _name(name: str) -> str:
    """In quotes where it could be taken for a path or a value: a model chooses the names inside an open object."""
    return visible(name if _PLAIN_NAME.fullmatch(name) else orjson.dumps(name).decode())


def visible(text: str) -> str:
    """The text with everything escaped that a reader could not see, or that would let one line pose as two."""
    hidden = {text[offset] for offset, _ in hidden_characters(text)}
    hidden |= {char for char in set(text) if unicodedata.category(char) in _UNSEEN}
    for char in hidden:
        text = text.replace(char, char.encode("unicode_escape").decode())
    return text

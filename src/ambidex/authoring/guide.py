"""The documentation of a tool: sections as real Markdown headings, the summary, examples with their lines, phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

SECTIONS: tuple[str, ...] = (
    "Summary",
    "Preconditions",
    "Postconditions",
    "Invariants",
    "Failure Modes",
    "Examples",
    "Common Mistakes",
)
"""Every guide has these; a heading counts when it begins with the name."""

_PHRASE = re.compile(r"^\s*(?:[-*+>]\s+|\d+[.)]\s+)?[*_]{0,2}User:[*_]{0,2}\s*(.+?)\s*$")
_QUOTES = "\"'“”‘’«»"


@dataclass(frozen=True, slots=True)
class Example:
    """One fenced `json` block under Examples."""

    text: str
    line: int
    """Of its first line of content, 1-based."""


@dataclass(frozen=True, slots=True)
class Guide:
    """One documentation file, read."""

    file: str
    text: str
    sections: dict[str, int]
    """Name of the section -> line of its heading."""
    summary: str
    """First paragraph under Summary, on one line."""
    summary_line: int
    examples: tuple[Example, ...]
    phrases: tuple[str, ...]


def read_guide(text: str, file: str) -> Guide:
    """Headings inside code fences are code, and `Summary` in the middle of a sentence is a word."""
    tokens = _blocks(text)
    sections: dict[str, int] = {}
    summary, summary_line = "", 0
    examples: list[Example] = []
    phrases: list[str] = []
    current = ""
    for index, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else 0
        if token.type == "heading_open":
            name = _section(tokens[index + 1].content)
            # A heading of another name ends a section only when it is not a part of it.
            if name or _level(token) <= 2:
                current = name
            if name:
                sections.setdefault(name, line)
        elif current == "Summary" and not summary and token.type == "inline" and tokens[index - 1].level == 0:
            if tokens[index - 1].type == "paragraph_open":
                summary, summary_line = " ".join(token.content.split()), line
        elif current == "Examples" and token.type == "fence" and _is_json(token.info):
            examples.append(Example(token.content, line + 1))
        elif current == "Examples" and token.type in ("inline", "fence"):
            phrases.extend(_phrases(token.content))
    return Guide(file, text, sections, summary, summary_line, tuple(examples), tuple(dict.fromkeys(phrases)))


def _blocks(text: str) -> list[Any]:
    """Block structure only: nothing here needs emphasis or links, which cost most of the time."""
    parser = _parser()
    return list(parser.parse(text))


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").disable(["inline", "text_join"])


def _level(token: Any) -> int:
    return int(token.tag[1:])


def _section(heading: str) -> str:
    words = " ".join(heading.split()).casefold()
    for name in SECTIONS:
        rest = words.removeprefix(name.casefold())
        if rest != words and not rest[:1].isalnum():
            return name
    return ""


def _is_json(info: str) -> bool:
    return info.strip().split(maxsplit=1)[:1] == ["json"]


def _phrases(block: str) -> Iterator[str]:
    for line in block.splitlines():
        if found := _PHRASE.match(line):
            phrase = found.group(1).strip().strip(_QUOTES).strip()
            if phrase:
                yield phrase

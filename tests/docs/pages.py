"""The written pages, as tests read them: their fenced blocks, their links and their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
FRONT = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: ```` ```language option=value ```` and what stands in it."""

    page: str
    line: int
    """Of the opening fence, 1-based."""
    language: str
    options: dict[str, str]
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """Every written page, as a path from the root; the lints' pages are generated from a table and need no reader."""
    chapters = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))
    return [*FRONT, *chapters]


def blocks(page: str) -> list[Block]:
    return [_block(page, token) for token in _tokens(page) if token.type == "fence"]


def links(page: str) -> Iterator[tuple[int, str]]:
    """Line and target of every link and image."""
    for token in _tokens(page):
        for child in token.children or ():
            target = child.attrGet("href") or child.attrGet("src")
            if target:
                yield (token.map or [0])[0] + 1, str(target)


def anchors(page: str) -> set[str]:
    """The headings of a page, as they stand behind a `#` in an address."""
    tokens = _tokens(page)
    headings = (tokens[index + 1].content for index, token in enumerate(tokens) if token.type == "heading_open")
    return {_slug(heading) for heading in headings}


def _tokens(page: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse((ROOT / page).read_text(encoding="utf-8"))


def _block(page: str, token: Token) -> Block:
    language, *words = token.info.split() or [""]
    options = dict(word.partition("=")[::2] for word in words)
    return Block(page, (token.map or [0])[0] + 1, language, options, token.content)


def _slug(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.strip().replace(" ", "-")

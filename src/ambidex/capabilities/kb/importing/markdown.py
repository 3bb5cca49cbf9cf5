"""A Markdown file is one record: fields from its front matter, else from its path, first heading and date."""

from __future__ import annotations

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import pairwise
from typing import Any

from ambidex.capabilities.kb.importing import front_matter
from ambidex.capabilities.kb.importing.entries import Entry, Fields
from ambidex.capabilities.kb.importing.reading import OpenFile, text_of
from ambidex.capabilities.kb.importing.told import Unfit
from ambidex.capabilities.kb.record import MAX_TEXT_BYTES, MAX_TITLE, Record

MAX_BYTES = MAX_TEXT_BYTES + front_matter.MAX_BYTES
_MAX_SLUG = 120
_SLIP = 0.8
"""So alike is `titel` to `title`, and `date` to nothing."""
_HEADING_WITHIN = 16 << 10
"""A title stands near the top; a long text is not parsed for it."""


def entries(file: OpenFile, inside: str) -> Iterator[Entry]:
    """One entry; `inside` is the path that an id is made of."""
    if file.size > MAX_BYTES:
        raise Unfit(f"is {file.size:,} bytes long; a text has at most {MAX_TEXT_BYTES:,}: split it")
    data = file.stream.read(MAX_BYTES + 1)
    if b"\0" in data:
        raise Unfit("holds a NUL byte, so it is no text; remove it", data.count(b"\n", 0, data.index(b"\0")) + 1)
    yield Entry(1, data, partial(_fields, data, inside))


def _fields(data: bytes, inside: str) -> Fields:
    head, body, begins = front_matter.split(text_of(data))
    values, lines = front_matter.parse(head) if head else ({}, {})
    values = _with_the_rest_as_metadata(values, lines)
    if "text" in values:
        raise Unfit("text stands below the front matter, not in it; move it there", lines["text"])
    heading, below = first_heading(body)
    if values.get("title") is None:
        values["title"] = heading or _name(inside)
    values["text"] = (below if values["title"] == heading else body).strip()
    if values.get("id") is None:
        kind = values.get("type")
        values["id"] = f"{kind if isinstance(kind, str) else 'doc'}:{slug(inside)}"
    return Fields(values, {"text": begins, **lines})


def _with_the_rest_as_metadata(values: dict[str, Any], lines: Mapping[str, int]) -> dict[str, Any]:
    """Notes carry fields of other programs: they are kept as metadata. What looks like a slip of the pen is told."""
    known = {name: value for name, value in values.items() if name in Record.__struct_fields__}
    rest = {str(name): value for name, value in values.items() if name not in known}
    for name in rest:
        if meant := difflib.get_close_matches(name, Record.__struct_fields__, n=1, cutoff=_SLIP):
            raise Unfit(f"{name} is no field; write {meant[0]}, or put it under metadata", lines.get(name))
    if rest and isinstance(known.get("metadata") or {}, dict):
        known["metadata"] = {**rest, **(known.get("metadata") or {})}
    return known


def slug(inside: str) -> str:
    """`Projects/Année 1.md` -> `projects-annee-1`; a name of which nothing is left gives a hash of it."""
    stem = inside.rpartition(".")[0]
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(words) <= _MAX_SLUG and len(words) * 2 >= len(stem):
        return words
    # Most of the name is gone or it is too long: what is left might be the same for two files.
    return f"{words[:_MAX_SLUG]}-{hashlib.sha256(stem.encode()).hexdigest()[:8]}".lstrip("-")


def first_heading(text: str) -> tuple[str, str]:
    """Its words, and the text without it where it opens the text: a title need not be said twice."""
    tokens = _parser().parse(text[:_HEADING_WITHIN])
    for before, token in pairwise(tokens):
        if before.type == "heading_open" and (words := _words(token)):
            below = "".join(text.splitlines(keepends=True)[before.map[1] :]) if before is tokens[0] else text
            return words[:MAX_TITLE], below
    return "", text


def _words(token: Any) -> str:
    """A heading as it reads, without its marks."""
    children = token.children or ()
    return " ".join("".join(" " if child.type == "softbreak" else child.content for child in children).split())


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _name(inside: str) -> str:
    stem = inside.rpartition("/")[2].rpartition(".")[0]
    return re.sub(r"[-_\s]+", " ", stem).strip()[:MAX_TITLE] or "Untitled"

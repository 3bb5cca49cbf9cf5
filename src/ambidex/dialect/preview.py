"""Headlines that a person reads before approving: text with {parameter} placeholders, nothing cleverer."""

from __future__ import annotations

import re

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")


class PreviewError(ValueError):
    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def placeholders(template: str) -> list[tuple[str, int]]:
    """Names (dotted for nested parameters) with their offsets; raises `PreviewError` on anything else in braces."""
    names = []
    for piece in _PIECE.finditer(template):
        if piece.group() in ("{{", "}}"):
            continue
        name = piece.group(1)
        if name is None:
            raise PreviewError("has a single brace", piece.start())
        if not _NAME.fullmatch(name):
            raise PreviewError("has a placeholder that is no parameter's name", piece.start())
        names.append((name, piece.start() + 1))
    return names

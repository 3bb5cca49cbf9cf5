"""JSON pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def child(pointer: str, token: str | int) -> str:
    """The pointer one step below."""
    return f"{pointer}/{str(token).replace('~', '~0').replace('/', '~1')}"


def from_path(path: Iterable[str | int]) -> str:
    pointer = ""
    for token in path:
        pointer = child(pointer, token)
    return pointer


def tokens(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def resolve(document: Any, pointer: str) -> Any:
    """What the pointer names; raises `LookupError` when there is no such place."""
    for token in tokens(pointer):
        if isinstance(document, dict):
            document = document[token]
        elif isinstance(document, list) and token.isascii() and token.isdigit():
            document = document[int(token)]
        else:
            raise LookupError(pointer)
    return document

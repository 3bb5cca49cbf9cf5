"""What a model asks for: the words of a call. Nothing here knows how a call is judged or run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec


class Mode(StrEnum):
    """Given when a session is created, never inferred, never changed."""

    TEXT = "text"
    VOICE = "voice"


class Category(StrEnum):
    RETRIEVAL = "retrieval"
    """The agent's eyes."""
    ACTION = "action"
    """Its hands."""
    UTILITY = "utility"
    """Its deterministic helpers."""


class SideEffects(StrEnum):
    NONE = "none"
    READ_ONLY = "read_only"
    WRITES = "writes"


class Downstream(StrEnum):
    """What the far side of a write does with a repeat."""

    KEY = "key"
    """It dedupes on the key we pass."""
    NATURAL = "natural"
    """Repeating is harmless."""
    NONE = "none"
    """Neither: a doubtful write is never run again by itself."""


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call of a model. `args` is JSON text, bytes or a mapping, as the caller had it."""

    name: str
    args: str | bytes | Mapping[str, Any] = "{}"
    id: str | None = None
    """The provider's id, or None where it sends none."""

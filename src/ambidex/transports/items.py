"""What a conversation holds, in words of no provider: this is stored, and every request is made from it.

A step's own parts are kept beside the neutral form, unchanged, for the provider that made them: signatures of thoughts
and ids of items must go back as they came. Another provider is given the neutral form.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec


class _Item(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind"):
    pass


class Asked(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A call as the model made it: the raw text of its arguments, whole or not."""

    id: str
    """The provider's, or one of ours where it gave none."""
    name: str
    args: str


class UserItem(_Item, frozen=True, kw_only=True, tag="user"):
    """What the user said."""

    text: str


class StepItem(_Item, frozen=True, kw_only=True, tag="step"):
    """One message of the model: its words, its calls, and the provider's own parts."""

    provider: str
    model: str = ""
    text: str = ""
    calls: tuple[Asked, ...] = ()
    parts: tuple[dict[str, Any], ...] = ()
    """As they came; only ever sent back to the same provider and model."""


class ResultItem(_Item, frozen=True, kw_only=True, tag="result"):
    """The one answer to a call."""

    call_id: str
    name: str
    ok: bool
    body: dict[str, Any]
    """The model's view of the envelope, outsiders' text already wrapped."""


class OutcomeItem(_Item, frozen=True, kw_only=True, tag="outcome"):
    """What became of a call that waited for the user: a new item that names the call, never a second answer to it."""

    call_id: str
    name: str
    ok: bool
    body: dict[str, Any]
    late: bool = False
    """Nobody was asked: the call took longer than it was waited for."""


class NoteItem(_Item, frozen=True, kw_only=True, tag="note"):
    """A sentence of the system's for the model: a message that waited, a write that ended late."""

    text: str


Item: TypeAlias = UserItem | StepItem | ResultItem | OutcomeItem | NoteItem

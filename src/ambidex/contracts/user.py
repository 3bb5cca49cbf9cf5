"""Whom a session belongs to, as authenticated on the user's channel."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AnySet

import msgspec

SHIPPED_NAMESPACES = ("studio", "personal", "public")
"""Those that the shipped tools name; whoever sits at the machine may read all of them."""


class User(msgspec.Struct, frozen=True):
    """The principal. Keys, confirmations and blocks are bound to tenant and id; what a client claims is not here."""

    id: str
    scopes: AnySet[str] = frozenset()
    tenant: str = "default"
    namespaces: tuple[str, ...] = ()
    authenticated: bool = True

    def __post_init__(self) -> None:
        if not self.id or not self.tenant:
            raise ValueError("a user has an id and a tenant")
        # Any iterable of words may be given; what is kept can be shared and hashed.
        msgspec.structs.force_setattr(self, "scopes", _words(self.scopes, "scopes"))
        msgspec.structs.force_setattr(self, "namespaces", tuple(dict.fromkeys(self.namespaces)))


def _words(given: Iterable[str], what: str) -> frozenset[str]:
    if isinstance(given, str):
        raise TypeError(f"{what} is a set of words, not one string")
    return frozenset(given)

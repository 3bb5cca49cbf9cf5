"""Where rows are kept, and under which keys."""

from __future__ import annotations

from functools import lru_cache

from ambidex.contracts.user import User
from ambidex.ledger.rows import (
    BlockRow,
    CallRow,
    ConversationRow,
    Hits,
    Ids,
    RequestRow,
    SessionRow,
    TokenRow,
    TurnRow,
)
from ambidex.stores.base import Space
from ambidex.stores.keys import key

SESSIONS: Space[SessionRow] = Space("session", SessionRow)
RESUME: Space[str] = Space("resume", str)
"""Hash of a resume token -> session id."""
CONVERSATIONS: Space[ConversationRow] = Space("conversation", ConversationRow)
TURNS: Space[TurnRow] = Space("turn", TurnRow)
CALLS: Space[CallRow] = Space("call", CallRow)
OPEN: Space[str] = Space("open", str)
"""Calls that were started and are not final: what recovery looks through."""
REFUSED: Space[CallRow] = Space("refused", CallRow)
"""Refused calls, for replay; never for idempotency."""
DOUBTFUL: Space[str] = Space("doubtful", str)
"""Conversation, tool and arguments -> the key of a write whose end is not known."""
REQUESTS: Space[RequestRow] = Space("request", RequestRow)
PENDING: Space[Ids] = Space("pending", Ids)
"""Conversation -> ids of its pending requests."""
TOKENS: Space[TokenRow] = Space("token", TokenRow)
"""Hash of a token -> its request."""
HITS: Space[Hits] = Space("hits", Hits)
BLOCKS: Space[BlockRow] = Space("block", BlockRow)
COUNTS: Space[int] = Space("count", int)
CURSORS: Space[str] = Space("cursor", str)
"""A space's name -> the key up to which pruning has looked through it."""


def scope_of(user: User, conversation: str) -> str:
    """Tenant, user and conversation: nothing is ever looked up outside of it."""
    return _scope(user.tenant, user.id, conversation)


@lru_cache(maxsize=4096)
def _scope(tenant: str, user: str, conversation: str) -> str:
    # Asked for many times in every call, and always for the few conversations that are going on.
    return key(tenant, user, conversation)


def below(scope: str, *parts: str | int) -> str:
    """A key inside a scope. Words must be keys already, or hashes: nothing that a user chose."""
    place = scope
    for part in parts:
        place = f"{place}/{part}" if type(part) is str else f"{place}/{key(part)}"
    return place


def place_of(row: CallRow) -> str:
    """Where a call's row is kept."""
    return below(scope_of(row.user, row.conversation), row.key)


@lru_cache(maxsize=4096)
def block_key(tenant: str, user: str) -> str:
    return key(tenant, user)

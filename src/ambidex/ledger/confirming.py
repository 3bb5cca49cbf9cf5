"""Confirmation, the user's side of it: list what waits, mint tokens, approve, reject.

Nothing that arrives on the model's channel gets here: a decision needs a token, and tokens go to the user's channel
only. A token is 256 random bits; the store knows its hash.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

import msgspec

from ambidex.audit.chain import Record
from ambidex.audit.events import Event, EventKind
from ambidex.ledger.events import session_event
from ambidex.ledger.rows import Hits, Ids, RequestRow, RequestState, SessionRow, TokenRow
from ambidex.ledger.sessions import digest
from ambidex.ledger.spaces import HITS, PENDING, REQUESTS, TOKENS, scope_of
from ambidex.stores.base import Tx
from ambidex.stores.clock import elapsed_ms
from ambidex.stores.keys import key


@dataclass(frozen=True, slots=True)
class Listed:
    request: RequestRow
    token: str
    left_ms: int


def list_requests(tx: Tx, session: SessionRow, most_tokens: int, record: Record) -> list[Listed]:
    """What waits in this conversation; each listing mints one more token, and the eleventh retires the oldest."""
    scope = scope_of(session.user, session.conversation)
    found = tx.get(PENDING, scope)
    listed: list[Listed] = []
    for name in found.ids if found else ():
        request = tx.get(REQUESTS, name)
        if request is None or request.state is not RequestState.PENDING:
            continue
        left = request.ttl_ms - elapsed_ms(request.asked, tx.now)
        if left <= 0:
            settle(tx, request, RequestState.EXPIRED, session, record)
            continue
        listed.append(Listed(request, _mint(tx, request, most_tokens), left))
    return listed


def _mint(tx: Tx, request: RequestRow, most: int) -> str:
    token = secrets.token_urlsafe(32)
    tokens = (*request.tokens, digest(token))
    tx.put(TOKENS, tokens[-1], TokenRow(request.id))
    tx.put(REQUESTS, request.id, msgspec.structs.replace(request, tokens=tokens[-most:]))
    return token


@dataclass(frozen=True, slots=True)
class NoRequest:
    """A token that is good for nothing here. `wait_ms`: the door is closed for so long."""

    wait_ms: int = 0
    retired: bool = False


def find_request(
    tx: Tx, session: SessionRow, token: str, wrong: int, window_ms: int, record: Record
) -> RequestRow | NoRequest:
    """The request of a token, if it is this user's and this conversation's: a mismatch looks like a wrong token."""
    name = key("wrong", session.user.tenant, session.user.id)
    hits = tx.get(HITS, name) or Hits()
    at = tuple(moment for moment in hits.at if elapsed_ms(moment, tx.now) < window_ms)
    if len(at) >= wrong:
        return NoRequest(wait_ms=max(1, window_ms - elapsed_ms(at[0], tx.now)))
    given = digest(token) if isinstance(token, str) else ""
    row = tx.get(TOKENS, given)
    request = tx.get(REQUESTS, row.request) if row else None
    mine = request is not None and scope_of(request.user, request.conversation) == scope_of(
        session.user, session.conversation
    )
    if row is None or request is None or not mine:
        tx.put(HITS, name, Hits((*at, tx.now)))
        record(tx, [session_event(EventKind.CONFIRMATION_WRONG_TOKEN, session)])
        return NoRequest()
    good = [hmac.compare_digest(given, kept) for kept in request.tokens]
    return request if any(good) else NoRequest(retired=True)


def settle(
    tx: Tx, request: RequestRow, state: RequestState, session: SessionRow, record: Record, **more: str
) -> RequestRow:
    """One atomic step from pending to its end; what must not be kept is gone with it."""
    args = request.args if request.told_args is None else request.told_args
    preview = request.preview if request.told_preview is None else request.told_preview
    done = msgspec.structs.replace(request, state=state, args=args, preview=preview, **more)
    tx.put(REQUESTS, request.id, done)
    scope = scope_of(request.user, request.conversation)
    found = tx.get(PENDING, scope) or Ids()
    tx.put(PENDING, scope, Ids(tuple(name for name in found.ids if name != request.id)))
    record(tx, [_event(done, session)])
    return done


_KINDS = {
    RequestState.CONSUMED: EventKind.CONFIRMATION_APPROVED,
    RequestState.REJECTED: EventKind.CONFIRMATION_REJECTED,
    RequestState.EXPIRED: EventKind.CONFIRMATION_EXPIRED,
}


def _event(request: RequestRow, session: SessionRow) -> Event:
    return session_event(_KINDS[request.state], session, **naming(request))


def naming(request: RequestRow) -> dict[str, str]:
    """The fields of an event by which its request is found again."""
    return {
        "tool": request.tool,
        "tool_version": request.tool_version,
        "args_hash": request.args_hash,
        "key": request.id,
        "call_id": request.call_id,
    }

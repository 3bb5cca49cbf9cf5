"""The record of a session, put back in order: which calls a model made, and what was decided about each.

It is read from rows: of calls, of refusals, of requests. Rows date to the millisecond; what came about within the same
one is put in the order in which it most likely came about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

import msgspec

from ambidex.audit.redact import REDACTED
from ambidex.contracts.user import User
from ambidex.ledger.rows import CallRow, CallState, RequestRow, SessionRow, TurnCall, TurnRow
from ambidex.ledger.spaces import CALLS, REFUSED, REQUESTS, SESSIONS, TURNS, scope_of
from ambidex.policy.climb import hash_of
from ambidex.policy.explain import Kind
from ambidex.stores.base import Tx
from ambidex.stores.clock import Moment
from ambidex.stores.keys import prefix

_OF_THE_MOMENT = frozenset({"call_is_still_wanted", "there_is_room", "store_has_room"})
"""Refusals after which the very same call may have run at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call that the model made."""

    was: Kind
    rule: str = ""
    tool: str
    args: bytes
    args_hash: str
    call_id: str
    provider: str
    """Whose id it is; empty where it was not known by one."""
    user: User
    turn: int
    epoch: int
    """0 where it was not kept."""
    at: Moment
    untrusted: bool
    parent: str = ""
    depth: int = 0
    row: CallRow | None = None
    """Of a call that ran: how it ended."""
    request: str = ""
    """Of a call that asked: the id of its request."""

    @property
    def not_replayable(self) -> str:
        """Why not, if so. What was asked is known by its hash: arguments that do not give it are not the ones."""
        if not self.args:
            return "its arguments were not kept"
        if self.args_hash in (hash_of(self.tool, self.args), hash_of("", self.args)):
            return ""
        return "its arguments are redacted" if REDACTED.encode() in self.args else "its arguments were not kept"


@dataclass(frozen=True, slots=True)
class Approval:
    """A call that a person let through: it made its own turn."""

    row: CallRow

    @property
    def turn(self) -> int:
        return self.row.turn

    @property
    def at(self) -> Moment:
        return self.row.began


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is left of a session."""

    session: SessionRow
    turns: dict[int, TurnRow]
    events: list[Call | Approval]
    requests: list[RequestRow]
    elsewhere: list[CallRow] = field(default_factory=list)
    """Calls of the same user in other sessions, oldest first: rate limits counted them."""


def read_record(tx: Tx, session_id: str) -> Recorded | None:
    session = tx.get(SESSIONS, session_id)
    if session is None:
        return None
    scope, user = f"{scope_of(session.user, session.conversation)}/", session.user
    rows = [row for _, row in tx.scan(CALLS, prefix(user.tenant, user.id))]
    mine = {row.key: row for row in rows if row.session == session_id}
    turns = {row.number: row for _, row in tx.scan(TURNS, scope)}
    requests = [row for _, row in tx.scan(REQUESTS) if row.session == session_id]
    refused = [row for _, row in tx.scan(REFUSED, scope) if row.session == session_id]
    others = [row for row in rows if row.session != session_id and not row.same_as]
    events = [*_let_through(mine, turns), *(_refused(row, _provider(mine)) for row in refused), *map(_asking, requests)]
    return Recorded(
        session=session,
        turns=turns,
        events=sorted(events, key=_order),
        requests=requests,
        elsewhere=sorted(others, key=lambda row: row.began.wall),
    )


def _order(event: Call | Approval) -> tuple[int, int, int]:
    """By turn and time; within a millisecond, what counts comes before what may have been refused because of it."""
    if isinstance(event, Approval):
        return event.turn, event.at.wall, -1  # its turn begins with it
    rank = {Kind.ASK: 1, Kind.RUN: 2, Kind.DUPLICATE: 2, Kind.REFUSE: 0 if event.rule in _OF_THE_MOMENT else 3}
    return event.turn, event.at.wall, rank[event.was]


def _let_through(rows: dict[str, CallRow], turns: dict[int, TurnRow]) -> Iterator[Call | Approval]:
    """In the order in which each turn noted them. A key that was free again stands there more than once."""
    left = Counter(entry.key for turn in turns.values() for entry in turn.calls if not entry.again)
    for turn in turns.values():
        at = turn.began
        for entry in turn.calls:
            row = rows.get(entry.key)
            if row is None:
                continue
            left[entry.key] -= not entry.again
            own = bool(row.same_as) if entry.again else not left[entry.key]  # else the row tells of another moment
            if row.args_hash != entry.args_hash:
                row, own = _lost(row, entry), False
            at = row.began if own else at
            yield Approval(row) if row.request else _noted(row, entry, turn.number, at, last=not left[entry.key])


def _noted(row: CallRow, entry: TurnCall, turn: int, at: Moment, *, last: bool) -> Call:
    known_by_id = row.key.startswith("id/")
    ran = row if last else _freed(row, at)
    return Call(
        was=Kind.DUPLICATE if entry.again else Kind.RUN,
        tool=row.tool,
        args=row.args,
        args_hash=row.args_hash,
        call_id=row.call_id,
        provider=unquote(row.key.split("/")[1]) if known_by_id else "",
        user=row.user,
        turn=turn,
        epoch=entry.epoch,
        at=at,
        untrusted=row.untrusted,
        parent=row.parent,
        depth=row.depth,
        row=None if entry.again else ran,
    )


def _freed(row: CallRow, at: Moment) -> CallRow:
    """An earlier call under the same key, which failed so that the key was free again: the later one has its row."""
    return msgspec.structs.replace(row, state=CallState.RELEASED, envelope=b"", error_type="TRANSIENT", ended=at)


def _lost(row: CallRow, entry: TurnCall) -> CallRow:
    """A call whose key another one has by now: the turn knows that it was, and no more."""
    about = {"tool": entry.tool, "args_hash": entry.args_hash, "writes": entry.writes}
    return msgspec.structs.replace(row, **about, args=b"", same_as="", request="", error_type="")


def _provider(rows: dict[str, CallRow]) -> str:
    """Whose ids this session has; a refused call does not say."""
    return next((unquote(key.split("/")[1]) for key in rows if key.startswith("id/")), "api")


def _refused(row: CallRow, provider: str) -> Call:
    return Call(
        was=Kind.REFUSE,
        rule=row.rule,
        tool=row.tool,
        args=row.args,
        args_hash=row.args_hash,
        call_id=row.call_id,
        provider=provider,
        user=row.user,
        turn=row.turn,
        epoch=row.epoch,
        at=row.began,
        untrusted=row.untrusted,
        parent=row.parent,
        depth=row.depth,
    )


def _asking(row: RequestRow) -> Call:
    parts = row.asked_key.split("/")
    known_by_id = parts[0] == "id"
    return Call(
        was=Kind.ASK,
        tool=row.tool,
        args=row.args,
        args_hash=row.args_hash,
        call_id=row.call_id,
        provider=unquote(parts[1]) if known_by_id else "",
        user=row.user,
        turn=row.turn,
        epoch=int(parts[3][1:]) if known_by_id else 0,
        at=row.asked,
        untrusted=row.untrusted,
        request=row.id,
    )

"""Sessions and turns: open, resume, attach, begin a turn, end."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from ambidex.audit.chain import Record
from ambidex.audit.events import EventKind
from ambidex.contracts.call import Mode
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.user import User
from ambidex.ledger.blocks import block_left_ms
from ambidex.ledger.events import session_event
from ambidex.ledger.rows import ConversationRow, SessionRow, State, TurnCall, TurnKind, TurnRow
from ambidex.ledger.spaces import BLOCKS, CONVERSATIONS, RESUME, SESSIONS, TURNS, below, block_key, scope_of
from ambidex.ledger.state import ended, farewell_spoken, turn_begins
from ambidex.stores.base import Tx


@dataclass(frozen=True, slots=True)
class NotOpened:
    """Why there is no session, or no turn."""

    type: ErrorType
    message: str
    retry_after_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    session: SessionRow
    turn: TurnRow
    messages: tuple[str, ...]
    """What was pending for this turn."""


def digest(secret: str) -> str:
    """Secrets are stored as hashes only. Any text is answered, also one that UTF-8 cannot carry."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def _blocked(tx: Tx, user: User) -> NotOpened | None:
    left = block_left_ms(tx.get(BLOCKS, block_key(user.tenant, user.id)), tx.now)
    return NotOpened(ErrorType.UNAVAILABLE, "this user is blocked for now", left) if left else None


def open_session(
    tx: Tx,
    user: User,
    mode: Mode,
    conversation: str | None,
    registry: str,
    content_hash: str,
    token: str,
    record: Record,
) -> SessionRow | NotOpened:
    """A new session; ids are random, and possession of one never authenticates."""
    if blocked := _blocked(tx, user):
        return blocked
    name = conversation or secrets.token_urlsafe(18)
    row = SessionRow(
        id=secrets.token_urlsafe(18),
        user=user,
        conversation=name,
        registry=registry,
        content_hash=content_hash,
        state=State(mode=mode),
        opened=tx.now,
        resume_hash=digest(token),
    )
    scope = scope_of(user, name)
    found = tx.get(CONVERSATIONS, scope) or ConversationRow()
    if mode is Mode.VOICE:
        found = msgspec.structs.replace(found, voice_session=row.id)
    tx.put(CONVERSATIONS, scope, found)
    tx.put(SESSIONS, row.id, row)
    tx.put(RESUME, row.resume_hash, row.id)
    record(tx, [session_event(EventKind.SESSION_START, row)])
    return row


Check: TypeAlias = Callable[[Tx, SessionRow], NotOpened | None]
"""Why a session cannot go on in this process, if it cannot."""


def resume_session(
    tx: Tx, user: User, token: str, fresh: str, mode: Mode, outdated: Check, record: Record
) -> SessionRow | NotOpened:
    """The same session in its next epoch, its turn intact. The token is used once; `fresh` is the next one.

    Everything is looked at before the token is used up: after a refusal it is still good, perhaps elsewhere.
    """
    if blocked := _blocked(tx, user):
        return blocked
    session_id = tx.get(RESUME, digest(token))
    row = tx.get(SESSIONS, session_id) if session_id else None
    if row is None or not _is_of(row, user):
        return NotOpened(ErrorType.NOT_FOUND, "there is no session to resume with this token")
    if not row.state.is_active:
        return NotOpened(ErrorType.SESSION_INACTIVE, "the session has ended")
    if row.state.mode is not mode:
        return NotOpened(ErrorType.MODE_RESTRICTED, f"this session is {row.state.mode}; its mode never changes")
    if refused := outdated(tx, row):
        return refused
    tx.delete(RESUME, row.resume_hash)
    row = msgspec.structs.replace(row, epoch=row.epoch + 1, resume_hash=digest(fresh), user=user)
    tx.put(SESSIONS, row.id, row)
    tx.put(RESUME, row.resume_hash, row.id)
    record(tx, [session_event(EventKind.SESSION_RESUME, row)])
    return row


def attach_session(tx: Tx, user: User, session_id: str, *, outdated: Check) -> SessionRow | NotOpened:
    """The same session and epoch, from another worker."""
    if blocked := _blocked(tx, user):
        return blocked
    row = tx.get(SESSIONS, session_id)
    if row is None or not _is_of(row, user):
        return NotOpened(ErrorType.NOT_FOUND, "there is no such session")
    if not row.state.is_active:
        return NotOpened(ErrorType.SESSION_INACTIVE, "the session has ended")
    return outdated(tx, row) or row


def _is_of(row: SessionRow, user: User) -> bool:
    return (row.user.tenant, row.user.id) == (user.tenant, user.id)


def current(tx: Tx, session_id: str, epoch: int) -> SessionRow | NotOpened:
    """The session as it is now, unless a newer connection has taken it over."""
    row = tx.get(SESSIONS, session_id)
    if row is None:
        return NotOpened(ErrorType.NOT_FOUND, "there is no such session")
    if row.epoch != epoch:
        return NotOpened(ErrorType.SESSION_INACTIVE, "a newer connection has taken this session over")
    return row


def begin_turn(tx: Tx, session_id: str, epoch: int, said: str, kind: TurnKind, record: Record) -> Begun | NotOpened:
    """Only accepted user input begins a turn: a model's message, a result or a reconnect never does."""
    row = current(tx, session_id, epoch)
    if isinstance(row, NotOpened):
        return row
    if blocked := _blocked(tx, row.user):
        return blocked
    if not row.state.is_active:
        return NotOpened(ErrorType.SESSION_INACTIVE, "the session has ended")
    state = turn_begins(row.state)
    if not state.is_active:
        end_session(tx, row, "turn_ended", record)
        return NotOpened(ErrorType.SESSION_INACTIVE, "the session has ended with the last turn")
    return _next_turn(tx, msgspec.structs.replace(row, state=state), said, kind, row.state.pending_messages, record)


def _next_turn(tx: Tx, row: SessionRow, said: str, kind: TurnKind, messages: tuple[str, ...], record: Record) -> Begun:
    scope = scope_of(row.user, row.conversation)
    conversation = tx.get(CONVERSATIONS, scope) or ConversationRow()
    last = tx.get(TURNS, below(scope, conversation.turn)) if conversation.turn else None
    number = conversation.turn + 1
    # Only the user's own words clear the mark that outsiders' text left.
    kept = kind not in (TurnKind.MESSAGE, TurnKind.TRANSCRIPT) and last is not None and last.untrusted
    # A request that was handed over is told to the model, but the user has not said it here.
    heard = "" if kind is TurnKind.HANDOVER else said
    replaced = _writes_since_the_user_spoke(tx, scope, last) if kind is TurnKind.REGENERATION else ()
    turn = TurnRow(number=number, kind=kind, input=heard, began=tx.now, untrusted=kept, replaced=replaced)
    row = msgspec.structs.replace(row, turn=number)
    events = [session_event(EventKind.TURN_SUMMARY, row, turn=last.number, facts=_summary(last))] if last else []
    events.append(session_event(EventKind.TURN_START, row, facts={"kind": str(kind)}))
    tx.put(CONVERSATIONS, scope, msgspec.structs.replace(conversation, turn=number))
    tx.put(TURNS, below(scope, number), turn)
    tx.put(SESSIONS, row.id, row)
    record(tx, events)
    return Begun(row, turn, messages)


def _writes_since_the_user_spoke(tx: Tx, scope: str, last: TurnRow | None) -> tuple[TurnCall, ...]:
    """What a regeneration must not do again: decisions since then began turns of their own."""
    found: tuple[TurnCall, ...] = ()
    while last is not None:
        found = (*last.replaced, *(call for call in last.calls if call.writes and not call.again), *found)
        if last.kind not in (TurnKind.APPROVAL, TurnKind.REJECTION):
            break
        last = tx.get(TURNS, below(scope, last.number - 1)) if last.number > 1 else None
    return found


def decision_turn(
    tx: Tx, row: SessionRow, said: str, kind: TurnKind, record: Record, *, joining: int | None = None
) -> Begun:
    """The turn that an approval or a rejection begins. What is queued waits on: a decision cannot hand it out.

    `joining` is the turn that another decision of the same request began: this one belongs to it too.
    """
    joined = joined_turn(tx, row, joining)
    if joined is not None:
        return Begun(row, joined, ())
    state = msgspec.structs.replace(turn_begins(row.state), pending_messages=row.state.pending_messages)
    return _next_turn(tx, msgspec.structs.replace(row, state=state), said, kind, (), record)


def joined_turn(tx: Tx, row: SessionRow, joining: int | None) -> TurnRow | None:
    """The turn of that number, if it was begun by a decision and nothing has been said since."""
    scope = scope_of(row.user, row.conversation)
    conversation = tx.get(CONVERSATIONS, scope) if joining is not None else None
    if joining is None or conversation is None or not joining == row.turn == conversation.turn:
        return None
    turn = tx.get(TURNS, below(scope, joining))
    return turn if turn is not None and turn.kind in (TurnKind.APPROVAL, TurnKind.REJECTION) else None


def turn_is_spoken(tx: Tx, session_id: str, epoch: int, record: Record) -> SessionRow | NotOpened:
    """The agent's turn was heard to its end: a session that was to last so long is over."""
    row = current(tx, session_id, epoch)
    if isinstance(row, NotOpened) or not row.state.is_active or row.state.pending_end_voice_session is None:
        return row
    return end_session(tx, msgspec.structs.replace(row, state=farewell_spoken(row.state)), "turn_ended", record)


def _summary(turn: TurnRow) -> dict[str, str | int | float | bool | None]:
    return {
        "calls": sum(not call.again for call in turn.calls),
        "retrieval": turn.retrieval,
        "total": turn.total,
        "discovery": turn.discovery,
        "refusals": turn.refusals,
        "latencyMs": round(turn.latency_ms, 3),
    }


def end_session(tx: Tx, row: SessionRow, reason: str, record: Record) -> SessionRow:
    state = ended(row.state, reason)
    done = msgspec.structs.replace(row, state=state)
    tx.put(SESSIONS, row.id, done)
    tx.delete(RESUME, row.resume_hash)
    scope = scope_of(row.user, row.conversation)
    conversation = tx.get(CONVERSATIONS, scope)
    if conversation and conversation.voice_session == row.id:
        tx.put(CONVERSATIONS, scope, msgspec.structs.replace(conversation, voice_session=""))
    record(tx, [session_event(EventKind.SESSION_END, done, facts={"reason": state.end_reason or reason})])
    return done

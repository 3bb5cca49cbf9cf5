"""Tickets from text to voice: whoever holds one may open a voice session of the conversation, once, within a minute.

A ticket goes to the user's client alone and is good for that user only. The request that travels with it is the
user's words: it begins a turn of the voice session, and is never part of a prompt.
"""

from __future__ import annotations

import secrets
from typing import TypedDict

import msgspec

from ambidex.contracts.faults import ErrorType
from ambidex.contracts.user import User
from ambidex.errors import Refused, ToolError
from ambidex.ledger.rows import SessionRow
from ambidex.ledger.sessions import digest
from ambidex.policy.refusing import refusal
from ambidex.stores.base import Space, Store, Tx
from ambidex.stores.clock import Moment, elapsed_ms
from ambidex.stores.runner import StoreRunner

LIFE_MS = 60_000
MOST_CHARACTERS = 500
_LOOKED_AT = 20


class TicketRow(msgspec.Struct, frozen=True, kw_only=True):
    tenant: str
    user: str
    conversation: str
    offer: str
    pending_request: str
    made: Moment


TICKETS: Space[TicketRow] = Space("voice_ticket", TicketRow)
"""Hash of a ticket -> what it is good for."""


class Ticket(TypedDict):
    session_id: str
    ticket: str


class Redeemed(msgspec.Struct, frozen=True):
    """What a good ticket opens."""

    conversation: str
    session_id: str
    """The id under which the client was offered the session."""
    pending_request: str


class VoiceTickets:
    """The capability `voice`. It shares the orchestrator's store."""

    def __init__(self, store: Store) -> None:
        self._runner = StoreRunner(store)

    async def ticket(self, session: SessionRow, *, pending_request: str) -> Ticket:
        """Called by way of `context.voice.ticket`; the session is that of the call."""
        if len(pending_request) > MOST_CHARACTERS:
            message = f"pending_request must be at most {MOST_CHARACTERS} characters, got {len(pending_request)}"
            raise ToolError(ErrorType.VALIDATION, message)
        offer, secret = secrets.token_urlsafe(18), secrets.token_urlsafe(32)

        def operation(tx: Tx) -> None:
            _forget_old(tx)
            row = TicketRow(
                tenant=session.user.tenant,
                user=session.user.id,
                conversation=session.conversation,
                offer=offer,
                pending_request=pending_request,
                made=tx.now,
            )
            tx.put(TICKETS, digest(secret), row)

        await self._runner.run(operation)
        return Ticket(session_id=offer, ticket=secret)

    async def redeem(self, user: User, ticket: str) -> Redeemed:
        """Once: the same ticket is worth nothing afterwards. Raises `ambidex.Refused`, NOT_FOUND whatever was wrong."""

        def operation(tx: Tx) -> TicketRow | None:
            row = tx.get(TICKETS, digest(ticket))
            # Another user's try must not use it up.
            if row is None or (row.tenant, row.user) != (user.tenant, user.id):
                return None
            tx.delete(TICKETS, digest(ticket))
            return row if elapsed_ms(row.made, tx.now) < LIFE_MS else None

        row = await self._runner.run(operation)
        if row is None:
            message = "there is no such ticket; it may have been used, or be too old"
            raise Refused(refusal(ErrorType.NOT_FOUND, message, suggestion="Ask for a new one."))
        return Redeemed(row.conversation, row.offer, row.pending_request)


def _forget_old(tx: Tx) -> None:
    for place, row in tx.scan(TICKETS, limit=_LOOKED_AT):
        if elapsed_ms(row.made, tx.now) >= LIFE_MS:
            tx.delete(TICKETS, place)

"""What became of calls that the model was not told the end of, read from the store, wherever they came to it.

Most of them are requests that waited for the user; of others the end was not known.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import msgspec

from ambidex.agents.doubts import LateEnd, late_ends
from ambidex.agents.memory import Waiting, append, row_of, stop_waiting
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ToolResponse
from ambidex.execution.attempt import outcome_unknown
from ambidex.ledger.rows import CallState, Ids, RequestRow, RequestState
from ambidex.ledger.sessions import digest
from ambidex.ledger.spaces import CALLS, PENDING, REQUESTS, TOKENS, below, scope_of
from ambidex.policy.approving import rejection
from ambidex.policy.refusing import refusal
from ambidex.session.envelope import refused
from ambidex.session.session import Session
from ambidex.session.views import View
from ambidex.stores.base import Tx
from ambidex.stores.clock import elapsed_ms
from ambidex.transports.items import OutcomeItem
from ambidex.transports.views import body_of


@dataclass(frozen=True, slots=True)
class Outcome:
    waiting: Waiting
    approved: bool
    answer: ToolResponse


def collect(tx: Tx, session: Session, view: View) -> list[Outcome]:
    """The outcomes that the model has not been told, now part of the conversation as new items; each is told once."""
    scope = scope_of(session.user, session.conversation)
    ended = [_outcome(tx, scope, one, session) for one in row_of(tx, scope).waiting]
    outcomes = [outcome for outcome in ended if outcome is not None]
    items = [_item(outcome, session, view) for outcome in outcomes]
    items += [_late_item(late, session, view) for late in late_ends(tx, scope, session)]
    if items:
        append(tx, scope, items)
        stop_waiting(tx, scope, [outcome.waiting.request for outcome in outcomes])
    return outcomes


def unannounced(tx: Tx, session: Session, announced: Collection[str]) -> list[RequestRow]:
    """Requests of this session that no answer told of: a tool asked another one, and kept its request to itself."""
    scope = scope_of(session.user, session.conversation)
    known = {*announced, *(one.request for one in row_of(tx, scope).waiting)}
    pending = tx.get(PENDING, scope) or Ids()
    rows = [tx.get(REQUESTS, name) for name in pending.ids if name not in known]
    return [row for row in rows if row is not None and row.session == session.id and _is_open(row, tx)]


def _is_open(request: RequestRow, tx: Tx) -> bool:
    return request.state is RequestState.PENDING and elapsed_ms(request.asked, tx.now) < request.ttl_ms


def request_of(tx: Tx, session: Session, token: str) -> RequestRow | None:
    """Which request of this conversation a token stands for; None for any other token."""
    row = tx.get(TOKENS, digest(token))
    request = tx.get(REQUESTS, row.request) if row else None
    mine = scope_of(session.user, session.conversation)
    return request if request and scope_of(request.user, request.conversation) == mine else None


def _outcome(tx: Tx, scope: str, waiting: Waiting, session: Session) -> Outcome | None:
    request = tx.get(REQUESTS, waiting.request)
    if request is None or request.state is RequestState.EXPIRED:
        return _expired(waiting, session)
    if request.state is RequestState.REJECTED:
        return Outcome(waiting, False, refused(rejection(request), session.meta(waiting.name, waiting.call_id)))
    if request.state is RequestState.CONSUMED:
        return _ran(tx, scope, request, waiting, session)
    return None if _is_open(request, tx) else _expired(waiting, session)


def _ran(tx: Tx, scope: str, request: RequestRow, waiting: Waiting, session: Session) -> Outcome | None:
    """What the approved call gave; nothing yet while it runs."""
    call = tx.get(CALLS, below(scope, request.key))
    if call is not None and call.state is CallState.STARTED:
        return None
    if call is None or call.state is CallState.UNKNOWN or not call.envelope:
        unknown = refused(outcome_unknown(waiting.name), session.meta(waiting.name, waiting.call_id))
        return Outcome(waiting, True, unknown)
    return Outcome(waiting, True, msgspec.json.decode(call.envelope, type=ToolResponse))


def _expired(waiting: Waiting, session: Session) -> Outcome:
    fault = refusal(ErrorType.CONFIRMATION_EXPIRED, "the user did not decide in time; nothing was done")
    return Outcome(waiting, False, refused(fault, session.meta(waiting.name, waiting.call_id)))


def _late_item(late: LateEnd, session: Session, view: View) -> OutcomeItem:
    doubt, answer = late.doubt, late.answer
    body = body_of(answer, session.registry, view)
    return OutcomeItem(call_id=doubt.call_id, name=doubt.name, ok=answer.ok, body=body, late=True)


def _item(outcome: Outcome, session: Session, view: View) -> OutcomeItem:
    waiting, answer = outcome.waiting, outcome.answer
    return OutcomeItem(
        call_id=waiting.call_id, name=waiting.name, ok=answer.ok, body=body_of(answer, session.registry, view)
    )

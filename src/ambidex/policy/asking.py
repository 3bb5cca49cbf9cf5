"""Confirmation, the model's side of it: does this call need a person, and the request that is made then.

The model learns of a request, never of a token: tokens are minted when the user's channel lists requests.
"""

from __future__ import annotations

import hashlib
import secrets

import msgspec

from ambidex.arguments.canonical import canonical_bytes
from ambidex.audit.chain import Record
from ambidex.audit.redact import redact
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ConfirmationRequest, Fault
from ambidex.contracts.spec import ToolSpec
from ambidex.ledger.confirming import settle
from ambidex.ledger.rows import CallState, Ids, RequestRow, RequestState
from ambidex.ledger.spaces import CALLS, DOUBTFUL, PENDING, REQUESTS, below
from ambidex.policy.climb import Climb
from ambidex.policy.preview import preview_of
from ambidex.policy.rates import hit, recent, until_free_ms
from ambidex.policy.refusing import refusal
from ambidex.policy.seen import ID_REUSED
from ambidex.stores.clock import Moment, elapsed_ms, rfc3339
from ambidex.stores.keys import key

HOUR_MS = 3_600_000
IN_DOUBT = "An earlier call like this one was started and its outcome is not known: it may exist already."


def needs_a_person(climb: Climb) -> str | None:
    """Why, in a word for the audit; None when it may run."""
    tool = climb.tool
    if tool.requires_confirmation:
        return "requiresConfirmation"
    if climb.rules.conditions.asks(tool, climb.session, climb.rules.config, climb.prepared.args, climb.open_turn.input):
        return "confirmWhen"
    if climb.writes and climb.untrusted and not tool.safe_after_untrusted:
        return "untrusted"
    if in_doubt(climb):
        return "doubtful"
    return None


def in_doubt(climb: Climb) -> bool:
    """Whether an identical write of this conversation was started and its end is not known.

    One that runs in this very turn is no matter of doubt: a repeat of it is recognised, or meant.
    """
    if not climb.writes:
        return False
    place = climb.tx.get(DOUBTFUL, below(climb.scope, climb.asked.args_hash))
    row = climb.tx.get(CALLS, place) if place else None
    if row is None:
        return False
    return row.state is CallState.UNKNOWN or (row.state is CallState.STARTED and row.turn != climb.session.turn)


def ask(climb: Climb, asker: str, record: Record) -> tuple[RequestRow, bool] | Fault:
    """The request that waits for these arguments, or a new one (then True); RATE_LIMIT when too many wait already."""
    pending = _pending_requests(climb, record)
    for request in pending:
        if request.args_hash == climb.asked.args_hash:
            return _warning(climb, request), False
        if climb.asked.provider and request.asked_key == asker:
            return ID_REUSED
    limits, name = climb.rules.confirmation, key("asked", climb.scope)
    at = recent(climb.tx, name, HOUR_MS)
    wait = until_free_ms(climb.tx, at, HOUR_MS, limits.hourly)
    message, suggestion = "the user was asked too often in the last hour", "Go on without it, or say when to try again."
    if len(pending) >= limits.pending:
        wait = min(_left_ms(request, climb.tx.now) for request in pending)
        message, suggestion = "too many requests wait for the user already", "Ask the user to decide on those first."
    if wait:
        return refusal(ErrorType.RATE_LIMIT, message, suggestion=suggestion, retry_after_ms=wait, retryable=True)
    hit(climb.tx, name, HOUR_MS, limits.hourly)
    request = _new_request(climb, asker)
    climb.tx.put(REQUESTS, request.id, request)
    climb.tx.put(PENDING, climb.scope, Ids((*(row.id for row in pending), request.id)))
    return request, True


def _pending_requests(climb: Climb, record: Record) -> list[RequestRow]:
    """What still waits. A request whose time is up is settled here, since nobody else may ever look at it."""
    listed = climb.tx.get(PENDING, climb.scope)
    found = [climb.tx.get(REQUESTS, name) for name in listed.ids] if listed else []
    rows = [row for row in found if row is not None and row.state is RequestState.PENDING]
    for row in rows:
        if _left_ms(row, climb.tx.now) <= 0:
            settle(climb.tx, row, RequestState.EXPIRED, climb.session, record)
    return [row for row in rows if _left_ms(row, climb.tx.now) > 0]


def _warning(climb: Climb, request: RequestRow) -> RequestRow:
    """The request with what its reader must know by now: since it was made, its like may have been started."""
    warned = request.preview.split("\n")[1:2] == [IN_DOUBT]
    if warned or not in_doubt(climb):
        return request
    preview, told_preview = _previews(climb)
    request = msgspec.structs.replace(request, preview=preview, told_preview=told_preview)
    climb.tx.put(REQUESTS, request.id, request)
    return request


def _previews(climb: Climb) -> tuple[str, str | None]:
    """For the user, and for the model where that is another."""
    args, warning = climb.prepared.args, IN_DOUBT if in_doubt(climb) else ""
    told = redact(args, climb.tool.redact, "args")
    shown = preview_of(climb.tool, args, warning=warning)
    return shown, None if told is args else preview_of(climb.tool, told, warning=warning)


def _left_ms(request: RequestRow, now: Moment) -> int:
    return max(0, request.ttl_ms - elapsed_ms(request.asked, now))


def _new_request(climb: Climb, asker: str) -> RequestRow:
    session, turn, asked = climb.session, climb.open_turn, climb.asked
    args, (preview, told_preview) = climb.prepared.args, _previews(climb)
    told = redact(args, climb.tool.redact, "args")
    return RequestRow(
        id=secrets.token_urlsafe(18),
        state=RequestState.PENDING,
        user=session.user,
        conversation=session.conversation,
        session=session.id,
        mode=session.state.mode,
        tool=climb.tool.tool_id,
        tool_version=climb.tool.version,
        schema_digest=schema_digest(climb.tool),
        args=climb.prepared.canonical,
        args_hash=asked.args_hash,
        preview=preview,
        asked=climb.tx.now,
        ttl_ms=climb.rules.confirmation.ttl_ms,
        turn=turn.number,
        input=turn.input,
        call_id=asked.call.id or "",
        asked_key=asker if asked.provider else "",
        untrusted=climb.untrusted,
        told_args=None if told is args else canonical_bytes(told),
        told_preview=told_preview,
    )


def schema_digest(tool: ToolSpec) -> str:
    """Of what was approved: the same tool with another schema is another tool."""
    return hashlib.sha256(bytes(tool.json_schema)).hexdigest()


def for_the_model(request: RequestRow) -> ConfirmationRequest:
    """With redacted values replaced; the user's channel shows them."""
    expires = Moment(request.asked.wall + request.ttl_ms, 0, "")
    return ConfirmationRequest(
        id=request.id,
        tool=request.tool,
        args=msgspec.json.decode(request.args if request.told_args is None else request.told_args),
        preview=request.preview if request.told_preview is None else request.told_preview,
        expires=rfc3339(expires),
    )


def confirmation_required(request: RequestRow) -> Fault:
    return refusal(
        ErrorType.CONFIRMATION_REQUIRED,
        "the user has to approve this call first; they have been shown what it would do",
        suggestion="Tell the user what is waiting and let them decide. Do not call it again; its outcome will be told.",
        confirmation_request=for_the_model(request),
    )

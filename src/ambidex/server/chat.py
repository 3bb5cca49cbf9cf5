"""`POST /api/chat`, resuming a stream, and stopping one: the AI SDK's own protocol."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from ambidex.agents.events import TurnEnded, TurnFailed
from ambidex.contracts.faults import ERROR_TABLE, ErrorType
from ambidex.contracts.response import Fault, ToolResponse
from ambidex.ledger.spaces import scope_of
from ambidex.server import stream_log
from ambidex.server.answers import Refusal, json_answer, not_found
from ambidex.server.chat_body import Wanted, chat_id_of, read_wanted
from ambidex.server.limits import read_body, take_input, too_many
from ambidex.server.resuming import Replay, to_resume
from ambidex.server.state import State, state_of, user_of
from ambidex.server.stream_log import Busy, StreamRow
from ambidex.server.streaming import EventStream
from ambidex.server.turns import Turn
from ambidex.server.ui_stream import Encoder
from ambidex.server.wire import Chunk
from ambidex.stores.base import Tx

if TYPE_CHECKING:
    from ambidex.agents.text import Chat

_POLL_SECONDS = 0.05


async def post_chat(request: Request) -> Response:
    """One input of the user, and the answer as a stream; refusals are sentences, which the client shows."""
    state = state_of(request)
    body = await read_body(request, state.limits.body_bytes, state.limits.read_seconds)
    return await _answer(state, request, read_wanted(body, state.limits.message_characters))


async def resume_chat(request: Request) -> Response:
    """The stream that runs, or that waits for a decision, from its start; 204 when there is none."""
    state, conversation = state_of(request), chat_id_of(request)
    scope = scope_of(user_of(request), conversation)
    found = await state.stored(lambda tx: stream_log.read(tx, scope))
    if found is None:
        return Response(status_code=204)
    chat = await state.agent.open(user_of(request), conversation)
    replay = await to_resume(chat, scope, state.stored)
    return Response(status_code=204) if replay is None else EventStream(replay, state.limits.write_seconds)


async def stop_chat(request: Request) -> Response:
    """End the answer that is being written, wherever it is read."""
    state, conversation = state_of(request), chat_id_of(request)
    scope = scope_of(user_of(request), conversation)
    if not await state.stored(lambda tx: stream_log.stop(tx, scope)):
        raise not_found("nothing is being answered in this conversation")
    return json_answer({"stopping": True}, 202)


async def _answer(state: State, request: Request, wanted: Wanted) -> Response:
    user = user_of(request)
    scope = scope_of(user, wanted.conversation)
    chat = await state.agent.open(user, wanted.conversation)
    if again := await _same_input(state, chat, scope, wanted):
        return EventStream(again, state.limits.write_seconds)
    await _count_input(state, scope)
    row = await _claim(state, request, scope, wanted)
    encoder = Encoder(
        row.message,
        approvals=wanted.approvals,
        taken=wanted.taken,
        deciding=[decision.call_id for decision in wanted.decisions] if wanted.text is None else (),
        redact=state.redacted_paths,
    )
    turn = Turn(chat, scope, row, encoder, state.limits.linger_seconds)
    state.turns.start(turn, lambda: _work(chat, wanted, encoder))
    try:
        await asyncio.shield(turn.began)
    except asyncio.CancelledError:
        turn.outbox.close()
        raise
    return EventStream(turn.outbox, state.limits.write_seconds)


async def _same_input(state: State, chat: Chat, scope: str, wanted: Wanted) -> Replay | None:
    """The answer to this very input, when a client sends it again because a connection broke."""
    if not wanted.fingerprint:
        return None
    found = await state.stored(lambda tx: stream_log.read(tx, scope))
    if found is not None and wanted.fingerprint in found.row.earlier:
        raise Refusal(409, "ANSWERED", "This message was answered already; a new one needs an id of its own.")
    if found is None or found.row.input != wanted.fingerprint:
        return None
    return Replay(chat, scope, state.stored, found)


async def _count_input(state: State, scope: str) -> None:
    limits = state.limits
    wait = await state.stored(lambda tx: take_input(tx, scope, limits.turn_gap_ms, limits.turns_per_minute))
    if wait is not None:
        raise too_many(wait)


async def _claim(state: State, request: Request, scope: str, wanted: Wanted) -> StreamRow:
    """The conversation's one stream; waits for the answer before this one to end."""
    id, message = secrets.token_urlsafe(12), wanted.message or f"msg_{secrets.token_urlsafe(12)}"

    def operation(tx: Tx) -> StreamRow | Busy:
        return stream_log.claim(tx, scope, id, message, wanted.fingerprint, approvals=wanted.approvals)

    until = time.monotonic() + state.limits.wait_seconds
    while isinstance(found := await state.stored(operation), Busy):
        if time.monotonic() >= until or await request.is_disconnected():
            raise Refusal(409, "BUSY", "An answer is still being written in this conversation; please wait for it.")
        await asyncio.sleep(_POLL_SECONDS)
    return found


async def _work(chat: Chat, wanted: Wanted, encoder: Encoder) -> AsyncIterator[Sequence[Chunk]]:
    """Decisions first, each with its outcome; then the model, with the user's words or with those outcomes."""
    carried_out, before, joining = False, chat.session.turn, None
    started: list[Chunk] = encoder.begin()
    for decision in wanted.decisions:
        settled = await chat.decide(decision.token, decision.approved, joining=joining)
        if chat.session.turn != before:  # the first one that settled anything began the turn of them all
            joining = chat.session.turn
        if started and (fault := _not_recorded(settled.answer)):
            raise Refusal.of(fault)
        carried_out = carried_out or not _is_unknown(settled.answer)
        yield [*started, *encoder.settled(settled, decision.call_id)]
        started = []
    if wanted.text or wanted.regenerate:
        events = chat.say(wanted.text or "", regenerate=wanted.regenerate)
    elif carried_out:
        events = chat.go_on()
    else:
        yield encoder.encode(TurnEnded("stop"))
        return
    async for event in events:
        if started and isinstance(event, TurnFailed):
            raise _refused(event)
        chunks = [*started, *encoder.encode(event)]
        started = []
        yield chunks


def _is_unknown(answer: ToolResponse) -> bool:
    """No request belongs to the token: the answer is of no tool."""
    return answer.error is not None and (answer.meta is None or not answer.meta.tool_id)


def _not_recorded(answer: ToolResponse) -> Fault | None:
    """Why a decision was not taken down and may be sent again: the store, or too many wrong tokens."""
    return answer.error if _is_unknown(answer) and answer.error and answer.error.retryable else None


def _refused(event: TurnFailed) -> Refusal:
    """A turn that did not even begin."""
    known = event.kind in ErrorType.__members__
    status = ERROR_TABLE[ErrorType(event.kind)].http if known else 503
    return Refusal(status, event.kind, event.message, retry_after_ms=event.retry_after_ms)

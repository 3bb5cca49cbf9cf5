"""`/api/confirmations`: what waits for the user, and the decision, for clients that do not decide in the chat."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from ambidex.contracts.faults import ERROR_TABLE
from ambidex.contracts.response import ToolResponse
from ambidex.contracts.user import User
from ambidex.ledger.rows import RequestRow
from ambidex.ledger.sessions import digest
from ambidex.ledger.spaces import PENDING, REQUESTS, TOKENS, scope_of
from ambidex.server.answers import bad_request, json_answer, not_found
from ambidex.server.api import plain
from ambidex.server.chat_body import is_chat_id
from ambidex.server.limits import read_body
from ambidex.server.state import State, state_of, user_of
from ambidex.stores.base import Tx

_BODY_BYTES = 4096


async def list_confirmations(request: Request) -> Response:
    """Lists, and mints one more token for each; a conversation that nobody began has none."""
    state, user = state_of(request), user_of(request)
    conversation = request.query_params.get("conversation")
    if conversation is None or not is_chat_id(conversation):
        raise bad_request("name the conversation: /api/confirmations?conversation=…")
    scope = scope_of(user, conversation)
    pending = await state.stored(lambda tx: tx.get(PENDING, scope))
    if pending is None or not pending.ids:
        return json_answer({"confirmations": []})
    chat = await state.agent.open(user, conversation)
    listed = [
        {
            "id": one.id,
            "token": one.token,
            "tool": one.tool,
            "args": dict(one.args),
            "preview": one.preview,
            "expires": one.expires,
        }
        for one in await chat.confirmations()
    ]
    return json_answer({"confirmations": listed})


async def approve(request: Request) -> Response:
    return await _decide(request, approve=True)


async def reject(request: Request) -> Response:
    return await _decide(request, approve=False)


async def _decide(request: Request, *, approve: bool) -> Response:
    """The envelope of what ran, or why nothing did; the model reads it with the next message of the conversation."""
    state, user, id = state_of(request), user_of(request), request.path_params["id"]
    token = await _token(request, state)
    found, fits = await state.stored(lambda tx: _find(tx, user, id, token))
    if found is None:
        raise not_found("there is no such request")
    chat = await state.agent.open(user, found.conversation)
    # A token of another request counts as a wrong one, here as anywhere.
    settled = await chat.decide(token if fits else "", approve)
    return _enveloped(settled.answer)


def _find(tx: Tx, user: User, id: str, token: str) -> tuple[RequestRow | None, bool]:
    """The user's own request, and whether the token was minted for it."""
    request, owner = tx.get(REQUESTS, id), tx.get(TOKENS, digest(token))
    if request is None or (request.user.tenant, request.user.id) != (user.tenant, user.id):
        return None, False
    return request, owner is not None and owner.request == id


async def _token(request: Request, state: State) -> str:
    body = await read_body(request, _BODY_BYTES, state.limits.read_seconds)
    try:
        document: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        document = None
    token = document.get("token") if isinstance(document, dict) else None
    if not isinstance(token, str):
        raise bad_request('the body must be {"token": "…"}')
    return token


def _enveloped(answer: ToolResponse) -> Response:
    return json_answer(plain(answer), 200 if answer.error is None else ERROR_TABLE[answer.error.type].http)

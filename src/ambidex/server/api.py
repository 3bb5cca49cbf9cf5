"""The JSON endpoints: tools, sessions, audit and confirmations. Each user sees what is theirs."""

from __future__ import annotations

from typing import Any

import msgspec
import orjson
from starlette.requests import Request
from starlette.responses import Response

from ambidex.agents.memory import row_of
from ambidex.audit.chain import LINES, head, position, settle
from ambidex.audit.line import decode
from ambidex.contracts.call import Mode
from ambidex.contracts.user import User
from ambidex.ledger.rows import SessionRow
from ambidex.ledger.spaces import CONVERSATIONS, SESSIONS
from ambidex.server.answers import Refusal, bad_request, json_answer
from ambidex.server.auth import AUDIT_SCOPE
from ambidex.server.state import state_of, user_of
from ambidex.stores.base import Tx
from ambidex.stores.clock import rfc3339
from ambidex.stores.keys import prefix

_MOST = 1000
_LOOKED_AT = 2000
"""Conversations of a user that are looked through for sessions."""


async def list_tools(request: Request) -> Response:
    """Every tool of the registry with its metadata; `?mode=` keeps those allowed in it."""
    registry, mode = state_of(request).app.registry, request.query_params.get("mode")
    if mode not in (None, *Mode):
        raise bad_request("mode must be text or voice")
    tools = [{**registry.metadata(tool), "parameters": registry.json_schema(tool)} for tool in registry.tool_ids(mode)]
    return json_answer({"registryVersion": registry.version, "tools": tools})


async def list_sessions(request: Request) -> Response:
    """The session that each of the user's conversations goes on in, newest first."""
    limit, user = _limit(request), user_of(request)
    found = await state_of(request).stored(lambda tx: sessions_of(tx, user))
    newest = sorted(found, key=lambda row: row.opened.wall, reverse=True)[:limit]
    return json_answer({"sessions": [_session(row) for row in newest]})


def sessions_of(tx: Tx, user: User) -> list[SessionRow]:
    """Found by way of the user's own conversations: what others have in the store costs nothing here."""
    mine = tx.scan(CONVERSATIONS, prefix(user.tenant, user.id), limit=_LOOKED_AT)
    ids = {id for scope, row in mine for id in (row_of(tx, scope).session, row.voice_session) if id}
    return [row for id in ids if (row := tx.get(SESSIONS, id)) is not None]


def _session(row: SessionRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "conversation": row.conversation,
        "mode": str(row.state.mode),
        "active": row.state.is_active,
        "epoch": row.epoch,
        "turn": row.turn,
        "registryVersion": row.registry,
        "opened": rfc3339(row.opened),
    }


async def read_audit(request: Request) -> Response:
    """Lines of the user's tenant: the newest, or those behind `?after=`. `next` is where to go on."""
    user, limit = user_of(request), _limit(request)
    if AUDIT_SCOPE not in user.scopes:
        raise Refusal(403, "UNAVAILABLE", f"reading the audit needs the scope {AUDIT_SCOPE}")
    after = _number(request, "after", None, 2**53)

    def operation(tx: Tx) -> list[tuple[str, bytes]]:
        settle(tx)
        newest = head(tx)
        begin = after if after is not None else max(0, (newest.seq if newest else 0) - limit)
        return tx.scan(LINES, after=position(begin), limit=limit)

    found = await state_of(request).stored(operation)
    lines = [orjson.Fragment(line) for _, line in found if decode(line).tenant in ("", user.tenant)]
    return json_answer({"lines": lines, "next": int(found[-1][0]) if found else after or 0})


def _limit(request: Request) -> int:
    return _number(request, "limit", 100, _MOST) or 1


def _number(request: Request, name: str, default: Any, most: int) -> Any:
    given = request.query_params.get(name)
    if given is None:
        return default
    if not (given.isascii() and given.isdigit() and len(given) <= 16 and int(given) <= most):
        raise bad_request(f"{name} must be a whole number of at most {most}")
    return int(given)


def plain(value: Any) -> Any:
    """A struct as JSON's own types."""
    return msgspec.json.decode(msgspec.json.encode(value))

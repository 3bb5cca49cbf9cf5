"""What every request passes before anything else looks at it: name and origin, who is asking, how often.

It also puts the headers on every answer that keep browsers strict, and logs one line: no query, no header, no body.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ambidex.execution.where import where
from ambidex.server.answers import Refusal, answer_to
from ambidex.server.hosts import Doors
from ambidex.server.limits import Rates, too_many
from ambidex.server.state import State

logger = logging.getLogger("ambidex.server")

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_STRICT = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
_CORS = {
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "content-type, authorization, user-agent",
    "access-control-max-age": "600",
}


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, doors: Doors, requests_per_minute: int, state: Callable[[], State]) -> None:
        self._app = app
        self._state = state
        self._doors = doors
        self._rates = Rates(requests_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, began = Headers(scope=scope), time.perf_counter()
        origin = headers.get("origin")
        answer = _Answer(send, self._cors(headers, origin))
        try:
            await self._checked(scope, headers, origin)
            if scope["method"] == "OPTIONS" and origin is not None:
                await Response(status_code=204, headers=_CORS)(scope, receive, answer.send)
            else:
                await self._app(scope, receive, answer.send)
        except Refusal as refusal:
            await answer_to(refusal, scope["path"])(scope, receive, answer.send)
        except Exception as error:  # the client has its answer; what happened is for the log, without its values
            logger.error("%s %s failed: %s", scope["method"], _shown(scope["path"]), where(error))
            logger.debug("a request failed", exc_info=error)
        finally:
            took = (time.perf_counter() - began) * 1000
            logger.info("%s %s %s %.0f ms", scope["method"], _shown(scope["path"]), answer.status, took)

    async def _checked(self, scope: Scope, headers: Headers, origin: str | None) -> None:
        hosts = headers.getlist("host")
        if reason := self._doors.refuse(hosts[0] if len(hosts) == 1 else None, origin):
            raise Refusal(403, "FORBIDDEN", reason)
        if scope["method"] == "OPTIONS" or not _is_guarded(scope["path"]):
            return
        self._count(f"address {scope['client'][0] if scope.get('client') else ''}", many=10)
        user = await self._state().authentication.user_of(headers.get("authorization"))
        self._count(f"user {user.tenant}/{user.id}")
        scope["user"] = user

    def _count(self, who: str, *, many: int = 1) -> None:
        """One address may stand for many users."""
        if wait := self._rates.take(who, many):
            raise too_many(wait)

    def _cors(self, headers: Headers, origin: str | None) -> dict[str, str]:
        if origin is None or self._doors.refuse(headers.get("host"), origin):
            return {}
        return {"access-control-allow-origin": origin, "vary": "origin"}


class _Answer:
    """Adds headers to whatever is sent, and remembers the status."""

    def __init__(self, send: Send, headers: dict[str, str]) -> None:
        self._send = send
        self._headers = {**_STRICT, **headers}
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(raw=list(message["headers"]))
            for name, value in self._headers.items():
                headers.setdefault(name, value)
            message = {**message, "headers": headers.raw}
        await self._send(message)


def _is_guarded(path: str) -> bool:
    return path.startswith("/api/") or path == "/metrics"


def _shown(path: str) -> str:
    """On one line, and not longer than a line."""
    return "".join(character if character.isprintable() else "?" for character in path[:200])

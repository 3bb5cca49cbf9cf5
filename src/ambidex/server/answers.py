"""How the server answers when it is no stream: JSON, faults, and refusals in words that a user may read.

The chat client shows the body of a refusal as it is, so there it is a sentence; everywhere else it is an object.
"""

from __future__ import annotations

from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ambidex.contracts.faults import ERROR_TABLE, ErrorType
from ambidex.contracts.response import Fault
from ambidex.errors import Refused
from ambidex.stores.errors import StoreUnavailable


class Refusal(Exception):
    """A request that is not served, and why: a status, a short type and a sentence safe for users."""

    def __init__(self, status: int, type: str, message: str, *, retry_after_ms: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.type = type
        self.message = message
        self.retry_after_ms = retry_after_ms

    @classmethod
    def of(cls, fault: Fault) -> Refusal:
        """What the pipeline refused, as HTTP."""
        return cls(ERROR_TABLE[fault.type].http, str(fault.type), fault.message, retry_after_ms=fault.retry_after_ms)


def json_answer(document: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(document), status, media_type="application/json")


def refusal_answer(refusal: Refusal, *, plain: bool = False) -> Response:
    """`plain`: for a client that shows the body to its user."""
    if plain:
        response = Response(refusal.message, refusal.status, media_type="text/plain")
    else:
        response = json_answer({"error": {"type": refusal.type, "message": refusal.message}}, refusal.status)
    if refusal.retry_after_ms is not None:
        response.headers["retry-after"] = str(max(1, -(-refusal.retry_after_ms // 1000)))
    if refusal.status == 401:
        response.headers["www-authenticate"] = "Bearer"
    return response


def answer_to(error: Exception, path: str) -> Response:
    """Exceptions become answers in this one place; nothing of an unexpected one is told."""
    match error:
        case Refusal():
            refusal = error
        case Refused():
            refusal = Refusal.of(error.error)
        case HTTPException(status_code=404):
            refusal = not_found("there is nothing under this address; /openapi.json lists what there is")
        case HTTPException():
            refusal = Refusal(error.status_code, "METHOD", "this address wants another method; see /openapi.json")
        case StoreUnavailable():
            refusal = Refusal(503, "TRANSIENT", "The store cannot be reached; try again.", retry_after_ms=1000)
        case _:
            refusal = Refusal(500, "INTERNAL", "Something went wrong on our side.")
    response = refusal_answer(refusal, plain=path.startswith("/api/chat"))
    if isinstance(error, HTTPException):
        response.headers.update(error.headers or {})
    return response


async def _handle(request: Request, error: Exception) -> Response:
    return answer_to(error, request.url.path)


HANDLERS = dict.fromkeys((Refusal, Refused, StoreUnavailable, HTTPException, Exception), _handle)
"""What the application does with what its endpoints raise."""


def bad_request(message: str) -> Refusal:
    return Refusal(400, str(ErrorType.VALIDATION), message)


def not_found(message: str) -> Refusal:
    return Refusal(404, str(ErrorType.NOT_FOUND), message)

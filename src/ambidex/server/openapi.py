"""`/openapi.json`: every endpoint but the page, by what it takes and what it answers."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ambidex import __version__
from ambidex.server.answers import json_answer
from ambidex.server.chat_body import CHAT_ID


async def openapi(_: Request) -> Response:
    return json_answer(document())


def document() -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Ambidex",
            "version": __version__,
            "description": "One set of tools for voice and text agents.",
        },
        "paths": _PATHS,
        "components": {
            "schemas": _SCHEMAS,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "description": "An API key or a JWT."}},
        },
        "security": [{"bearer": []}, {}],
    }


def _object(required: list[str], properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties, **more}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _text(description: str) -> dict[str, Any]:
    return {"description": description, "content": {"text/plain": {"schema": {"type": "string"}}}}


def _query(name: str, schema: dict[str, Any], *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, "schema": schema}


_TEXT, _NUMBER, _FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_ID = {"type": "string", "pattern": f"^{CHAT_ID}$"}
_IN_PATH = {"name": "id", "in": "path", "required": True, "schema": _ID}
_STREAM = {
    "description": "The answer, as a UI message stream (v1) of the AI SDK.",
    "content": {"text/event-stream": {}},
}
_REFUSED = {code: _text("Why not, in a sentence for the user.") for code in ("400", "401", "403", "409", "413", "415")}
_ERRORS = {code: _json("Why not.", _ref("Error")) for code in ("400", "401", "403", "429", "503")}
_LIMIT = _query("limit", {"type": "integer", "minimum": 0, "maximum": 1000, "default": 100})

_SCHEMAS: dict[str, Any] = {
    "Error": _object(["error"], {"error": _object(["type", "message"], {"type": _TEXT, "message": _TEXT})}),
    "Envelope": _object(
        ["ok", "meta"], {"ok": _FLAG, "data": {}, "error": {"type": "object"}, "meta": {"type": "object"}}
    ),
    "Tool": _object(["toolId", "version", "category"], {"toolId": _TEXT, "version": _TEXT, "category": _TEXT}),
    "Session": _object(
        ["id", "conversation", "mode", "active", "turn", "opened"],
        {"id": _TEXT, "conversation": _TEXT, "mode": _TEXT, "active": _FLAG, "turn": _NUMBER, "opened": _TEXT},
    ),
    "Confirmation": _object(
        ["id", "token", "tool", "args", "preview", "expires"],
        {"id": _TEXT, "token": _TEXT, "tool": _TEXT, "args": {"type": "object"}, "preview": _TEXT, "expires": _TEXT},
    ),
    "Chat": _object(
        ["id", "messages"],
        {
            "id": {**_ID, "description": "The chat, as its client names it."},
            "messages": {
                "type": "array",
                "minItems": 1,
                "items": _object(
                    ["role"],
                    {"id": _TEXT, "role": {"enum": ["user", "assistant"]}, "parts": {"type": "array"}},
                ),
            },
            "trigger": {"enum": ["submit-message", "regenerate-message"]},
            "messageId": _TEXT,
            "approvals": {"type": "boolean", "description": "False for clients of version 5, which know no approvals."},
        },
    ),
}


def _operation(summary: str, answers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"summary": summary, "responses": answers, **more}


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


_DECIDED = {
    "200": _json("What ran gave.", _ref("Envelope")),
    "default": _json("Nothing ran, or it failed.", {"anyOf": [_ref("Envelope"), _ref("Error")]}),
}
_DECIDE = {"parameters": [_IN_PATH], "requestBody": _body(_object(["token"], {"token": _TEXT}))}

_PATHS: dict[str, Any] = {
    "/api/chat": {
        "post": _operation(
            "Say something, or decide about what the agent asked.",
            {"200": _STREAM, **_REFUSED, "429": _text("Too fast."), "503": _text("Not now.")},
            requestBody=_body(_ref("Chat")),
        )
    },
    "/api/chat/{id}": {
        "get": _operation(
            "What was said so far, what waits, and whether an answer is being written.",
            {
                "200": _json(
                    "The conversation; an empty one if nobody began it.",
                    _object(
                        ["messages", "pending", "running"],
                        {
                            "messages": {"type": "array", "items": {"type": "object"}},
                            "pending": {"type": "array", "items": _TEXT},
                            "running": _FLAG,
                        },
                    ),
                ),
                **_REFUSED,
                "429": _text("Too fast."),
                "503": _text("Not now."),
            },
            parameters=[_IN_PATH],
        )
    },
    "/api/chat/{id}/stream": {
        "get": _operation(
            "Read on in the answer that is being written.",
            {"200": _STREAM, "204": {"description": "There is none."}, **_REFUSED, "429": _text("Too fast.")},
            parameters=[_IN_PATH],
        )
    },
    "/api/chat/{id}/stop": {
        "post": _operation(
            "End the answer that is being written.",
            {
                "202": _json("It will end.", _object(["stopping"], {"stopping": _FLAG})),
                "404": _text("There is none."),
                **{code: _text("Why not.") for code in ("400", "401", "403", "429")},
            },
            parameters=[_IN_PATH],
        )
    },
    "/api/confirmations": {
        "get": _operation(
            "What waits for the user's decision, each with a token.",
            {
                "200": _json(
                    "The requests.",
                    _object(["confirmations"], {"confirmations": {"type": "array", "items": _ref("Confirmation")}}),
                ),
                **_ERRORS,
            },
            parameters=[_query("conversation", _ID, required=True)],
        )
    },
    "/api/confirmations/{id}/approve": {"post": _operation("Approve a request.", _DECIDED, **_DECIDE)},
    "/api/confirmations/{id}/reject": {"post": _operation("Reject a request.", _DECIDED, **_DECIDE)},
    "/api/tools": {
        "get": _operation(
            "Every tool, with its metadata.",
            {
                "200": _json(
                    "The tools.",
                    _object(
                        ["registryVersion", "tools"],
                        {"registryVersion": _TEXT, "tools": {"type": "array", "items": _ref("Tool")}},
                    ),
                ),
                **_ERRORS,
            },
            parameters=[_query("mode", {"enum": ["text", "voice"]})],
        )
    },
    "/api/sessions": {
        "get": _operation(
            "The user's own sessions, newest first.",
            {
                "200": _json(
                    "The sessions.", _object(["sessions"], {"sessions": {"type": "array", "items": _ref("Session")}})
                ),
                **_ERRORS,
            },
            parameters=[_LIMIT],
        )
    },
    "/api/audit": {
        "get": _operation(
            "Lines of the audit, for who holds the scope `audit`.",
            {
                "200": _json("The lines.", _object(["lines", "next"], {"lines": {"type": "array"}, "next": _NUMBER})),
                **_ERRORS,
            },
            parameters=[_LIMIT, _query("after", {"type": "integer", "minimum": 0, "maximum": 2**53})],
        )
    },
    "/metrics": {"get": _operation("Counters, as Prometheus reads them.", {"200": _text("The page."), **_ERRORS})},
    "/healthz": {"get": _operation("The process answers.", {"200": _json("Yes.", _object(["ok"], {"ok": _FLAG}))})},
    "/readyz": {
        "get": _operation(
            "The process wants work.",
            {code: _json("Whether.", _object(["ready"], {"ready": _FLAG})) for code in ("200", "503")},
        )
    },
}

"""Sends the client a ticket for a voice session of this conversation.

The ticket opens the session and carries the pending request there. It goes to the client alone: a result is read by
the model, and whoever holds a ticket may speak as the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ambidex import ErrorType, Intent, ToolResponse, fail, ok


async def execute(args: Mapping[str, Any], context: Any) -> ToolResponse:
    if context.voice.is_active():
        return fail(
            ErrorType.SESSION_ACTIVE,
            "a voice session of this conversation is already running",
            suggestion="Tell the user that they can speak right away.",
        )
    request = args["pending_request"].strip()
    opened = await context.voice.ticket(pending_request=request)
    await context.messaging.send(
        {
            "type": "voice_session_start",
            "sessionId": opened["session_id"],
            "ticket": opened["ticket"],
            "pendingRequest": request,
        }
    )
    context.audit.log("voice_session_start", hasPendingRequest=bool(request))
    handed_over = [Intent.SET_PENDING_MESSAGE(message=request)] if request else []
    return ok({"session_id": opened["session_id"], "pending_request": request or None}, intents=handed_over)

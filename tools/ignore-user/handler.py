"""Blocks the user for a while and says farewell.

The block is committed before the client hears of it: a user who closes the socket first is blocked all the same, and a
farewell that cannot be delivered lifts nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ambidex import ErrorType, Intent, ToolError, ToolResponse, fail, ok


async def execute(args: Mapping[str, Any], context: Any) -> ToolResponse:
    if not context.session["isActive"]:
        return fail(ErrorType.SESSION_INACTIVE, "the session has already ended; there is nobody to ignore")
    until = (await context.blocks.add(args["duration_seconds"])).isoformat(timespec="milliseconds")
    context.audit.log("user_timeout", until=until)
    await _say_farewell(args, until, context)
    return ok(
        {"timeoutUntil": until, "duration": args["duration_seconds"]},
        intents=[
            # In this order: the audio falls silent only after the farewell was spoken.
            Intent.END_VOICE_SESSION(
                after="farewell_spoken", reason="user_timeout", closing_message=args["farewell_message"]
            ),
            Intent.SUPPRESS_AUDIO(value=True),
        ],
    )


async def _say_farewell(args: Mapping[str, Any], until: str, context: Any) -> None:
    try:
        await context.messaging.send(
            {
                "type": "timeout",
                "durationSeconds": args["duration_seconds"],
                "timeoutUntil": until,
                "farewellMessage": args["farewell_message"],
            }
        )
    except ToolError:
        context.audit.log("user_timeout_undelivered", until=until)

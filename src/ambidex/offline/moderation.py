"""The moderation ladder, climbed over what this user said: warn first, then a minute; a day for threats and slurs.

What was done is read from the conversation's own items. A timeout that was carried out resets the ladder: whoever can
speak again has paid for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ambidex.offline.abuse import Gravity, gravity
from ambidex.transports.items import Item, OutcomeItem, ResultItem, StepItem

IGNORE_USER = "ignore_user"
WARNED = {"offline": "warned"}
"""Kept with the step that warned."""

MINUTE, DAY = 60, 86_400
_WARNING = (
    "I'd like to help, but not in this tone: that was an insult, and I ask you to leave those out. "
    "What can I look up for you?"
)
_FAREWELL = {
    MINUTE: "I'm going to pause here for a minute. After that we can start afresh.",
    DAY: "I won't continue after a message like that. You can reach me again tomorrow.",
}
_CANNOT = "I won't answer messages like that. I'm glad to help with anything else."


@dataclass(frozen=True, slots=True)
class Warn:
    text: str = _WARNING


@dataclass(frozen=True, slots=True)
class Block:
    args: dict[str, Any]


def judge(text: str, before: Sequence[Item], *, can_block: bool) -> Warn | Block | None:
    """What this message calls for; None where it is no abuse, however rude. `before`: the items up to it."""
    grave = gravity(text)
    if grave is Gravity.NONE:
        return None
    if grave is Gravity.ABUSE and not _warned(before):
        return Warn()
    if not can_block:
        return Warn(_CANNOT)
    seconds = DAY if grave is Gravity.EXTREME else MINUTE
    return Block({"duration_seconds": seconds, "farewell_message": _FAREWELL[seconds]})


def farewell(body: dict[str, Any], asked: dict[str, Any]) -> str:
    """What is said once the timeout stands, or could not be set."""
    return str(asked.get("farewell_message") or _FAREWELL[MINUTE]) if body.get("data") else _CANNOT


def _warned(before: Sequence[Item]) -> bool:
    """Whether a warning stands, since the last timeout."""
    for item in reversed(before):
        if isinstance(item, ResultItem | OutcomeItem) and item.name == IGNORE_USER and item.ok:
            return False
        if isinstance(item, StepItem) and WARNED in item.parts:
            return True
    return False

"""What would make the first user wait is done before there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ambidex.agents.providers import OFFLINE
from ambidex.transports.base import Ask
from ambidex.transports.items import UserItem

if TYPE_CHECKING:
    from ambidex.agents.text import TextAgent

_FIRST_WORDS = "what can you tell me about tomorrow at noon?"


async def warm(agent: TextAgent) -> None:
    """The prompt is composed; the offline provider learns its phrases by answering once. No service is asked."""
    brief = agent.brief(agent.app.registry)
    if agent.provider.facts.name != OFFLINE:
        return
    ask = Ask(system=brief.system, items=(UserItem(text=_FIRST_WORDS),), tools=brief.tools)
    async for _ in agent.provider.step(ask):
        pass

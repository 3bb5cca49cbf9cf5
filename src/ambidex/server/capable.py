"""What the tools of a server may use, opened from the configuration: the knowledge base, and tickets to voice."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from ambidex.agents.handover import VoiceTickets
from ambidex.capabilities.kb.capability import KnowledgeBase, knowledge_base
from ambidex.capabilities.kb.filters import Filters
from ambidex.config import Config
from ambidex.contracts.user import SHIPPED_NAMESPACES
from ambidex.errors import CapabilityError, ToolError
from ambidex.stores.base import Store

logger = logging.getLogger("ambidex.server")
_TRIES = 6


@asynccontextmanager
async def capabilities_of(
    config: Config, store: Store, given: Mapping[str, Any] | None
) -> AsyncIterator[Mapping[str, Any]]:
    """What the caller brings counts; the rest is opened here, and closed here."""
    own = {"voice": VoiceTickets(store), **(given or {})}
    if "kb" in own:
        yield own
        return
    base = knowledge_base(config)
    try:
        await _warm(base)
        yield {**own, "kb": base}
    finally:
        base.close()


async def _warm(base: KnowledgeBase) -> None:
    """A first search loads embedder and indexes: the first user need not wait for them.

    Opening may take longer than a search is allowed to. What is really wrong is told by the tools, when they are used.
    """
    for _ in range(_TRIES):
        try:
            await base.run(lambda engine: engine.search("what is there?", Filters(SHIPPED_NAMESPACES), top_k=1), None)
            return
        except (ToolError, CapabilityError) as error:
            problem = error
    logger.warning("the knowledge base is not ready: %s", problem)

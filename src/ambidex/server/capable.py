"""The knowledge base of a server, loaded before the first user comes."""

from __future__ import annotations

import logging

from ambidex.capabilities.kb.capability import KnowledgeBase
from ambidex.capabilities.kb.filters import Filters
from ambidex.contracts.user import SHIPPED_NAMESPACES
from ambidex.errors import CapabilityError, ToolError

logger = logging.getLogger("ambidex.server")
_TRIES = 6


async def warm_base(base: KnowledgeBase) -> None:
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

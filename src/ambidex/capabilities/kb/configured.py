"""The knowledge base that a configuration names, before anybody has asked for it: a process that never does loads none
of what a search needs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ambidex.config.config import Config

if TYPE_CHECKING:
    from ambidex.capabilities.kb.capability import KnowledgeBase, Reader, UserKb


class ConfiguredKb:
    """Stands for the knowledge base among the capabilities of an orchestrator, which closes it."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._base: KnowledgeBase | None = None

    def for_user(self, user: Reader) -> UserKb:
        return self.base.for_user(user)

    @property
    def base(self) -> KnowledgeBase:
        if self._base is None:
            from ambidex.capabilities.kb.capability import knowledge_base

            self._base = knowledge_base(self._config)
        return self._base

    async def close(self) -> None:
        """After its last search; waits for what is under way."""
        if self._base is not None:
            await asyncio.to_thread(self._base.close)

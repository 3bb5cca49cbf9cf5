"""What the tools of a server may use, opened from the configuration: the knowledge base, and tickets to voice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ambidex.agents.handover import VoiceTickets
from ambidex.capabilities.kb.capability import knowledge_base
from ambidex.config import Config
from ambidex.stores.base import Store


@contextmanager
def capabilities_of(config: Config, store: Store, given: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    """What the caller brings counts; the rest is opened here, and closed here."""
    own = dict(given or {})
    base = None if "kb" in own else knowledge_base(config)
    try:
        yield {"voice": VoiceTickets(store), **({} if base is None else {"kb": base}), **own}
    finally:
        if base is not None:
            base.close()

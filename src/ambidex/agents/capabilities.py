"""What an agent's process lends to tools, beside what the orchestrator builds from the configuration."""

from __future__ import annotations

from typing import Any

from ambidex.agents.handover import VoiceTickets
from ambidex.stores.base import Store


def agent_capabilities(store: Store) -> dict[str, Any]:
    """For `Orchestrator(registry, store=store, capabilities=…)`: the store is opened first, and both share it."""
    return {"voice": VoiceTickets(store)}

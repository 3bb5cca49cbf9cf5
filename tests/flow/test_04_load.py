"""Load: a locked registry, from the very bytes that were built."""

from __future__ import annotations

import pytest
from tests.support.apps import Workshop

import ambidex


def test_a_loaded_registry_is_locked_and_declares_its_tools(workshop: Workshop) -> None:
    registry = workshop.build()
    names = [tool["function"]["name"] for tool in registry.provider_schemas("openai", "text")]
    assert names == ["look", "send"]
    with pytest.raises(ambidex.RegistryLocked):
        registry.reload()

"""The shipped tools, built once, and a provider for each mode."""

from __future__ import annotations

import pytest
from tests.offline.stage import NOW, Stage

import ambidex
from ambidex import Registry, shipped
from ambidex.config import Config
from ambidex.offline.provider import OfflineProvider


@pytest.fixture(scope="session")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    artifact = tmp_path_factory.mktemp("offline") / "tool_registry.json"
    ambidex.build(shipped.path() / "tools", artifact)
    return ambidex.load(artifact, tools=shipped.path() / "tools")


@pytest.fixture(scope="session")
def providers(registry: Registry) -> dict[str, OfflineProvider]:
    """By mode, with the embedder that is installed. A provider holds no conversation, so tests may share it."""
    config = Config.load(environ={})
    return {mode: OfflineProvider(registry, mode, None, config, now=lambda: NOW) for mode in ("text", "voice")}


@pytest.fixture
def stage(registry: Registry, providers: dict[str, OfflineProvider]) -> Stage:
    return Stage(registry, providers["text"])


@pytest.fixture
def voice(registry: Registry, providers: dict[str, OfflineProvider]) -> Stage:
    return Stage(registry, providers["voice"], "voice")

"""Which model is talked to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import Workshop

from ambidex import ConfigError, Registry
from ambidex.agents.providers import open_provider
from ambidex.config import Config

ALL = {"OPENAI_API_KEY": "o", "GEMINI_API_KEY": "g", "ANTHROPIC_API_KEY": "a"}


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Workshop(tmp_path).reading().build()


def name_of(registry: Registry, environ: dict[str, str], name: str | None = None, **settings: Any) -> str:
    config = Config.load(overrides={key.replace("__", "."): value for key, value in settings.items()}, environ={})
    return open_provider(config, registry, name, environ=environ).facts.name


def test_without_a_key_it_is_offline(registry: Registry) -> None:
    pytest.importorskip("ambidex.offline.provider")
    assert name_of(registry, {}) == "offline"
    assert name_of(registry, {"OPENAI_API_KEY": "  "}) == "offline"


def test_the_provider_whose_key_is_set_is_used_and_of_several_the_first_in_the_order(registry: Registry) -> None:
    assert name_of(registry, {"ANTHROPIC_API_KEY": "a"}) == "anthropic"
    assert name_of(registry, {"GOOGLE_API_KEY": "g"}) == "gemini"
    assert name_of(registry, ALL) == "openai"
    assert name_of(registry, ALL, providers__order=["anthropic", "gemini"]) == "anthropic"


@pytest.mark.parametrize("name", ["openai", "openai-responses", "gemini", "anthropic"])
def test_changing_the_provider_is_one_line(registry: Registry, name: str) -> None:
    assert name_of(registry, ALL, providers__use=name) == name
    assert name_of(registry, ALL, name, providers__use="offline") == name


def test_a_name_that_is_none_and_a_key_that_is_missing_are_told(registry: Registry) -> None:
    with pytest.raises(ConfigError, match="did you mean 'gemini'"):
        name_of(registry, ALL, "gemnii")
    with pytest.raises(ConfigError, match="GEMINI_API_KEY or GOOGLE_API_KEY"):
        name_of(registry, {}, "gemini")


@pytest.mark.threat("H08")
def test_a_key_is_in_no_repr(registry: Registry) -> None:
    provider = open_provider(Config.load(environ={}), registry, "openai", environ={"OPENAI_API_KEY": "sk-marker"})
    assert "sk-marker" not in repr(provider) + repr(vars(provider))


def test_ids_are_trusted_from_the_service_itself_and_from_nothing_that_speaks_like_it(registry: Registry) -> None:
    for url, stable in (("https://api.openai.com/v1", True), ("http://127.0.0.1:1/v1", False)):
        config = Config.load(overrides={"providers.openai.base_url": url}, environ={})
        assert open_provider(config, registry, "openai", environ=ALL).facts.stable_ids is stable

"""Which model an agent talks to: the one that was named, else the first whose key is set, else the one without."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from ambidex.config import Config, keys
from ambidex.dialect.nearest import did_you_mean
from ambidex.errors import ConfigError
from ambidex.session.views import View
from ambidex.transports.base import TextProvider
from ambidex.transports.provider import Account

if TYPE_CHECKING:
    from ambidex.registry.registry import Registry

OFFLINE = "offline"
NAMES: tuple[str, ...] = (*keys.TEXT_PROVIDERS, OFFLINE)

_VARIABLES: dict[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "openai-responses": ("OPENAI_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "anthropic": ("ANTHROPIC_API_KEY",),
}
"""Keys come from the environment alone: a file would be committed one day."""


def open_provider(
    config: Config, registry: Registry, name: str | None = None, *, environ: Mapping[str, str] = os.environ
) -> TextProvider:
    """`name` decides, then `providers.use`; raises `ConfigError` when it is unknown or its key is not set."""
    wanted = name or config[keys.PROVIDERS_USE]
    if wanted == "auto":
        wanted = next((one for one in config[keys.PROVIDERS_ORDER] if key_of(one, environ)), OFFLINE)
    if wanted == OFFLINE:
        from ambidex.offline.provider import OfflineProvider

        return OfflineProvider(registry, config=config)
    if wanted not in _VARIABLES:
        raise ConfigError(f"there is no provider {wanted!r}{did_you_mean(wanted, NAMES)}; there are {', '.join(NAMES)}")
    account = _account(wanted, config, environ)
    return _MAKERS[wanted](account, cast(View, config[keys.PROVIDERS_BY_NAME[wanted].view]), config)


def key_of(provider: str, environ: Mapping[str, str] = os.environ) -> str:
    """The API key of a provider, empty where none is set."""
    return next((environ[name].strip() for name in _VARIABLES[provider] if environ.get(name, "").strip()), "")


def _account(name: str, config: Config, environ: Mapping[str, str]) -> Account:
    key = key_of(name, environ)
    if not key:
        raise ConfigError(f"the provider {name} needs a key: set {' or '.join(_VARIABLES[name])} in the environment")
    table = keys.PROVIDERS_BY_NAME[name]
    return Account(key, config[table.base_url], config[table.model], config[keys.PROVIDERS_TIMEOUT_SECONDS])


def _openai(account: Account, view: View, _: Config) -> Any:
    from ambidex.transports.openai_chat import OpenAIChat

    return OpenAIChat(account, view=view)


def _openai_responses(account: Account, view: View, _: Config) -> Any:
    from ambidex.transports.openai_responses import OpenAIResponses

    return OpenAIResponses(account, view=view)


def _gemini(account: Account, view: View, _: Config) -> Any:
    from ambidex.transports.gemini import Gemini

    return Gemini(account, view=view)


def _anthropic(account: Account, view: View, config: Config) -> Any:
    from ambidex.transports.anthropic import Anthropic

    return Anthropic(account, view=view, max_tokens=config[keys.ANTHROPIC_MAX_TOKENS])


_MAKERS: dict[str, Callable[[Account, View, Config], TextProvider]] = {
    "openai": _openai,
    "openai-responses": _openai_responses,
    "gemini": _gemini,
    "anthropic": _anthropic,
}

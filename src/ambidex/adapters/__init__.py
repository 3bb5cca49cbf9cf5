"""One authored schema -> what each provider takes. One file per provider; the rules are in docs/adapters.md.

`convert` never raises on a schema, whatever it is, and never changes it. What a provider cannot carry is converted by
a documented rule and named as a loss, or is an error with a JSON pointer; at run time all of it is enforced anyway.
"""

from __future__ import annotations

from typing import Any, Protocol

from ambidex.adapters import (
    anthropic,
    gemini_json_schema,
    gemini_native,
    mcp,
    openai,
    openai_realtime,
    openai_responses,
)
from ambidex.adapters.conversion import Conversion, Loss, Outcome, Unfit
from ambidex.adapters.declared import Declared
from ambidex.adapters.document import Document
from ambidex.adapters.screen import screen

__all__ = ["Conversion", "Declared", "Loss", "Outcome", "convert", "convert_all", "declare"]


class Adapter(Protocol):
    """What each provider's file offers."""

    def convert(self, document: Document) -> Conversion:
        """The schema for this provider; raises `Unfit` where it cannot be carried."""

    def declare(self, tool: Declared, conversion: Conversion) -> dict[str, Any]:
        """The whole declaration as it is sent."""


_ADAPTERS: dict[str, Adapter] = {
    "openai": openai,
    "openaiResponses": openai_responses,
    "openaiRealtime": openai_realtime,
    "geminiNative": gemini_native,
    "geminiJsonSchema": gemini_json_schema,
    "anthropic": anthropic,
    "mcp": mcp,
}
_ALIASES = {"gemini": "geminiNative"}


def convert(provider: str, parameters: Any) -> Conversion:
    """What `provider` would get for this schema. Raises only for an unknown provider."""
    adapter = _adapter(provider)
    try:
        document = screen(parameters)
    except Unfit as unfit:
        return _error(unfit)
    return _attempt(adapter, document)


def convert_all(parameters: Any) -> dict[str, Conversion]:
    """The same for every provider, with what they share done once."""
    try:
        document = screen(parameters)
    except Unfit as unfit:
        return dict.fromkeys(_ADAPTERS, _error(unfit))
    made: dict[Any, Conversion] = {}
    for adapter in _ADAPTERS.values():
        if adapter.convert not in made:
            made[adapter.convert] = _attempt(adapter, document)
    return {provider: made[adapter.convert] for provider, adapter in _ADAPTERS.items()}


def _attempt(adapter: Adapter, document: Document) -> Conversion:
    try:
        return adapter.convert(document)
    except Unfit as unfit:
        return _error(unfit)


def declare(provider: str, tool: Declared, conversion: Conversion) -> dict[str, Any]:
    """The declaration of one tool, ready to send. There is none for a conversion that ended in an error."""
    if conversion.outcome == "error":
        raise ValueError(
            f"{tool.name} has no declaration for {provider}: {conversion.why} at {conversion.error_path!r}"
        )
    return _adapter(provider).declare(tool, conversion)


def _adapter(provider: str) -> Adapter:
    adapter = _ADAPTERS.get(_ALIASES.get(provider, provider))
    if adapter is None:
        raise ValueError(f"unknown provider {provider!r}; known are {', '.join([*_ADAPTERS, *_ALIASES])}")
    return adapter


def _error(unfit: Unfit) -> Conversion:
    return Conversion("error", error_path=unfit.path, why=unfit.why)

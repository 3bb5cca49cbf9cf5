"""Stand-ins of the providers' text services: real HTTP servers on the loopback address, with a script for a model.

They are strict: what the service would refuse, they refuse, in its own words' shape. `docs/testing-providers.md` tells
how to use them, and where they are stricter or simpler than the service.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ambidex.testing.standins.anthropic import AnthropicStandin
    from ambidex.testing.standins.gemini import GeminiStandin
    from ambidex.testing.standins.heard import Heard, Line
    from ambidex.testing.standins.openai_chat import OpenAIChatStandin
    from ambidex.testing.standins.openai_responses import OpenAIResponsesStandin
    from ambidex.testing.standins.refusal import Refusal
    from ambidex.testing.standins.standin import Standin
    from ambidex.testing.standins.steps import (
        Call,
        Calls,
        Cut,
        ErrorMidStream,
        Filtered,
        RateLimited,
        Say,
        Script,
        ServerError,
        Step,
        Truncated,
    )

_HOMES = {
    "AnthropicStandin": "anthropic",
    "Call": "steps",
    "Calls": "steps",
    "Cut": "steps",
    "ErrorMidStream": "steps",
    "Filtered": "steps",
    "GeminiStandin": "gemini",
    "Heard": "heard",
    "Line": "heard",
    "OpenAIChatStandin": "openai_chat",
    "OpenAIResponsesStandin": "openai_responses",
    "RateLimited": "steps",
    "Refusal": "refusal",
    "Say": "steps",
    "Script": "steps",
    "ServerError": "steps",
    "Standin": "standin",
    "Step": "steps",
    "Truncated": "steps",
}

__all__ = [
    "AnthropicStandin",
    "Call",
    "Calls",
    "Cut",
    "ErrorMidStream",
    "Filtered",
    "GeminiStandin",
    "Heard",
    "Line",
    "OpenAIChatStandin",
    "OpenAIResponsesStandin",
    "RateLimited",
    "Refusal",
    "Say",
    "Script",
    "ServerError",
    "Standin",
    "Step",
    "Truncated",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ambidex.testing.standins' has no attribute {name!r}")
    return getattr(import_module(f"ambidex.testing.standins.{home}"), name)

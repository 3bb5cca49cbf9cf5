"""OpenAI Chat Completions, and what is compatible with it: a nested declaration, strict where the schema allows."""

from __future__ import annotations

from typing import Any

from ambidex.adapters.conversion import Conversion
from ambidex.adapters.declared import Declared
from ambidex.adapters.openai_functions import strict_function
from ambidex.adapters.strict import convert

__all__ = ["convert", "declare"]


def declare(tool: Declared, conversion: Conversion) -> dict[str, Any]:
    return {"type": "function", "function": strict_function(tool, conversion)}

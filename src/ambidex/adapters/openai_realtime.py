"""OpenAI Realtime: a flat declaration. It has no strict mode, so the schema goes out as written."""

from __future__ import annotations

from typing import Any

from ambidex.adapters.as_written import convert
from ambidex.adapters.conversion import Conversion
from ambidex.adapters.declared import Declared
from ambidex.adapters.openai_functions import function

__all__ = ["convert", "declare"]


def declare(tool: Declared, conversion: Conversion) -> dict[str, Any]:
    return {"type": "function", **function(tool, conversion)}

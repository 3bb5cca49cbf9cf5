"""OpenAI's function declaration, which its three APIs spell almost alike."""

from __future__ import annotations

from typing import Any

from ambidex.adapters.conversion import Conversion
from ambidex.adapters.declared import Declared, described_as


def function(tool: Declared, conversion: Conversion) -> dict[str, Any]:
    return {**described_as(tool), "parameters": conversion.schema}


def strict_function(tool: Declared, conversion: Conversion) -> dict[str, Any]:
    return {**function(tool, conversion), "strict": conversion.outcome == "strict"}

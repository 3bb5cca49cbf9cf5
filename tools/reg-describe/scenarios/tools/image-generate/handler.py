"""Stands in for a tool that voice does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ambidex import ToolResponse, ok


async def execute(args: Mapping[str, Any], context: Any) -> ToolResponse:
    return ok({"url": "https://images.example/1"})

"""Stands in for a search, so that there is something to describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ambidex import ToolResponse, ok


async def execute(args: Mapping[str, Any], context: Any) -> ToolResponse:
    return ok({"results": []})

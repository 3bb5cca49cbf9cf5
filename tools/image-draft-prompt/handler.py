"""Drafts prompts for an image by rules, so that the same brief always gives the same drafts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ambidex import ErrorType, ToolResponse, fail, ok

from .drafting import draft


async def execute(args: Mapping[str, Any], context: Any) -> ToolResponse:
    brief = " ".join(args["brief"].split())
    if not brief:
        return fail(
            ErrorType.VALIDATION,
            "brief is empty: it must say what the image shows",
            suggestion="Ask the user what the image should show.",
        )
    style = " ".join(args.get("style", "").split())
    return ok({"variants": draft(brief, style, args["variants"])})

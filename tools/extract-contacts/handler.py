"""Finds contacts in a text. Each finder takes linear time; together they may take long enough to want a thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ambidex import ErrorType, ToolResponse, fail, ok

from .finding import find_contacts
from .phones import UnknownRegion


async def execute(args: Mapping[str, Any], context: Any) -> ToolResponse:
    region = (args.get("default_region") or context.config.get("region", "US")).upper()
    try:
        return ok(await context.in_thread(find_contacts, args["text"], region))
    except UnknownRegion:
        return fail(
            ErrorType.VALIDATION,
            "default_region is not a country with phone numbers of its own",
            suggestion="Use an ISO 3166 code of two letters such as US, DE or GB.",
        )
    except ModuleNotFoundError:
        return fail(ErrorType.PERMANENT, 'phone numbers need a package: pip install "ambidex[tools]"')

"""Searches the knowledge base. What this user may read, and how hits are ranked, is the capability's to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ambidex import ErrorType, ToolResponse, fail, ok

from .dates import BadDates, dates
from .showing import shown, vouched_hosts


async def execute(args: Mapping[str, Any], context: Any) -> ToolResponse:
    filters = args.get("filters", {})
    try:
        start, end = dates(filters.get("date_range", {}))
    except BadDates as error:
        return fail(ErrorType.VALIDATION, str(error), suggestion="Correct filters.date_range, or leave it out.")
    found = await context.kb.search(
        args["query"],
        namespace=args["namespace"],
        type=filters.get("type"),
        tags=tuple(filters.get("tags", ())),
        start=start,
        end=end,
        top_k=args["top_k"],
    )
    hosts = vouched_hosts(context.config)
    return ok(
        {
            "results": [_result(hit, args, hosts) for hit in found.hits],
            "query_time_ms": round(found.query_time_ms, 1),
            "nothing_relevant": found.nothing_relevant,
        }
    )


def _result(hit: Any, args: Mapping[str, Any], hosts: list[str]) -> dict[str, Any]:
    snippet = hit.snippet if args["include_snippets"] else ""
    identified = shown(hit.record, args["return_fields"], snippet, hosts)
    return {**identified, "score": round(hit.score, 4)}

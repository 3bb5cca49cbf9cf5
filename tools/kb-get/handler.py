"""Returns records by id. A record that this user may not read is answered like one that does not exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ambidex import ErrorType, ToolResponse, fail, ok

from .opening import opening
from .showing import shown, vouched_hosts


async def execute(args: Mapping[str, Any], context: Any) -> ToolResponse:
    if ("id" in args) == ("ids" in args):
        return fail(
            ErrorType.VALIDATION,
            "give exactly one of id and ids",
            suggestion="Use id for one record, ids for two to five.",
        )
    asked = [args["id"]] if "id" in args else list(args["ids"])
    records, missing = await context.kb.get(asked)
    if len(asked) == 1 and not records:
        return _not_found(missing.get(asked[0], ()))
    hosts = vouched_hosts(context.config)
    return ok(
        {
            "records": [shown(record, args["return_fields"], opening(record.text), hosts) for record in records],
            "missing": [{"id": id, "near": list(near)} for id, near in missing.items()],
        }
    )


def _not_found(near: Sequence[str]) -> ToolResponse:
    return fail(
        ErrorType.NOT_FOUND,
        "there is no record of that id that this user may read",
        details={"near": list(near)},
        suggestion=f"Near ids: {', '.join(near)}." if near else "Search for it instead of guessing its id.",
    )

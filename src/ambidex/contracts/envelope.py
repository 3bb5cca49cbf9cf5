"""Has a value the shape of a ToolResponse? For guides, scenarios and tests, not for the path of a call."""

from __future__ import annotations

from functools import cache
from typing import Any

from ambidex.contracts import schemas


def envelope_problems(value: Any, *, with_meta: bool = True) -> list[tuple[str, str]]:
    """(JSON pointer, what is wrong) for each problem; empty when the value is an envelope."""
    return [
        ("".join(f"/{step}" for step in error.instance_path), error.message)
        for error in _validator(with_meta).iter_errors(value)
    ]


@cache
def _validator(with_meta: bool) -> Any:
    import jsonschema_rs

    schema = dict(schemas.schema(schemas.RESPONSE))
    if not with_meta:
        # A handler's result and an example in a guide have no meta yet; a missing retryable means false.
        schema["required"] = ["ok"]
        fault = schema["$defs"]["error"] | {"required": ["type", "message"]}
        schema["$defs"] = schema["$defs"] | {"error": fault}
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True, offline=True)

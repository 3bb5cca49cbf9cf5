"""Published JSON Schemas, for editors and for programs in other languages."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import orjson

TOOL = "tool.schema.json"
ARTIFACT = "artifact.schema.json"
RESPONSE = "tool-response.schema.json"
SCENARIO = "scenario.schema.json"


def text(name: str) -> bytes:
    """The bytes of a published schema."""
    return files(__name__).joinpath(name).read_bytes()


@cache
def schema(name: str) -> Any:
    """A published schema, decoded once; treat it as read-only."""
    return orjson.loads(text(name))

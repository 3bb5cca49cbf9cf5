"""Exclusive bounds for dialects that only know inclusive ones. For integers nothing is lost."""

from __future__ import annotations

import math
from typing import Any

from ambidex.adapters.merge import Merged


def write_inclusive(merged: Merged, schema: dict[str, Any]) -> None:
    """Put the exclusive bounds of a node for integers into `schema` as `minimum` and `maximum`."""
    if (bound := merged.value("exclusiveMinimum")) is not None:
        least = math.floor(bound) + 1
        schema["minimum"] = max(least, schema.get("minimum", least))
    if (bound := merged.value("exclusiveMaximum")) is not None:
        greatest = math.ceil(bound) - 1
        schema["maximum"] = min(greatest, schema.get("maximum", greatest))


EXCLUSIVE = frozenset({"exclusiveMinimum", "exclusiveMaximum"})

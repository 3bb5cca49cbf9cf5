"""JSON of unknown make, read without trust: a member of the wrong type is as good as absent."""

from __future__ import annotations

from typing import Any


def obj(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def arr(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def usage(told: Any, *, input: str, output: str) -> dict[str, int]:
    """`input` and `output` tokens, as far as they are told, under the provider's names for them."""
    found = {"input": whole(obj(told).get(input)), "output": whole(obj(told).get(output))}
    return {name: count for name, count in found.items() if count is not None}

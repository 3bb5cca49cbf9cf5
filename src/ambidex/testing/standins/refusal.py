"""A request that the service would not take, and small checks that say so."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


class Refusal(Exception):
    """What was wrong with a request: a status, a sentence, the place, and the service's code where it has one."""

    def __init__(self, message: str, *, status: int = 400, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.param = param
        self.code = code


def an_object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Refusal(f"Invalid type for '{where}': expected an object, but got {_kind(value)} instead.", param=where)
    return value


def a_list(value: Any, where: str) -> list[Any]:
    """Never an empty one: where the services take lists, they want something in them."""
    if not isinstance(value, list):
        raise Refusal(f"Invalid type for '{where}': expected an array, but got {_kind(value)} instead.", param=where)
    if not value:
        raise Refusal(f"Invalid '{where}': empty array. Expected an array with minimum length 1.", param=where)
    return value


def a_text(value: Any, where: str, *, least: int = 0) -> str:
    if not isinstance(value, str):
        raise Refusal(f"Invalid type for '{where}': expected a string, but got {_kind(value)} instead.", param=where)
    if len(value) < least:
        raise Refusal(f"Invalid '{where}': empty string.", param=where)
    return value


def one_of(value: Any, choices: Collection[str], where: str) -> str:
    if not isinstance(value, str) or value not in choices:
        wanted = ", ".join(sorted(choices))
        raise Refusal(f"Invalid value for '{where}': {value!r}. Supported values are: {wanted}.", param=where)
    return value


def only(value: dict[str, Any], names: Collection[str], where: str) -> None:
    """No member but these."""
    for name in value:
        if name not in names:
            place = f"{where}.{name}" if where else name
            raise Refusal(f"Unknown parameter: '{place}'.", param=place, code="unknown_parameter")


def needed(value: dict[str, Any], names: Collection[str], where: str) -> None:
    """All of these members."""
    for name in names:
        if name not in value:
            place = f"{where}.{name}" if where else name
            raise Refusal(f"Missing required parameter: '{place}'.", param=place, code="missing_required_parameter")


def _kind(value: Any) -> str:
    return "null" if value is None else type(value).__name__

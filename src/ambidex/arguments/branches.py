"""Of the forms that a value may have (`anyOf`, `oneOf`), the one that it comes nearest to.

A list of what is wrong with every form would be a wall; a person looks at the form that was meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_TELLING = ("const", "enum")
"""Rules that tell forms apart: `{"kind": {"const": "file"}}`."""


def forms_of(error: Any) -> list[list[Any]]:
    """The errors of each form, when an error of the validator says that none of them fits; else nothing."""
    if error.kind.name not in ("anyOf", "oneOf"):
        return []
    forms: list[list[Any]] = error.kind.as_dict()["context"]
    return forms if all(forms) else []


def nearest_form(forms: Sequence[list[Any]], path: list[str | int]) -> list[Any]:
    return min(forms, key=lambda form: _distance(form, path))


def only_types(forms: Sequence[list[Any]], path: list[str | int]) -> list[str]:
    """The types of all forms, when the value has none of them: then that is all there is to say."""
    if not all(_is_wrong_type(form, path) for form in forms):
        return []
    return list(dict.fromkeys(kind for form in forms for error in form for kind in _types(error, path)))


def _distance(form: Sequence[Any], path: list[str | int]) -> tuple[bool, int, int, int]:
    """Another type is furthest away; then another telling value; then more errors; then shallower ones."""
    telling = sum(error.kind.name in _TELLING for error in form)
    deepest = max(len(error.instance_path) for error in form)
    return _is_wrong_type(form, path), telling, len(form), -deepest


def _is_wrong_type(form: Sequence[Any], path: list[str | int]) -> bool:
    return any(_types(error, path) for error in form)


def _types(error: Any, path: list[str | int]) -> list[str]:
    if error.kind.name != "type" or error.instance_path != path:
        return []
    types: list[str] = error.kind.as_dict()["types"]
    return types

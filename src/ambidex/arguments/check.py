"""The tool's schema, compiled: a valid call costs one look, and only a refused one pays for words."""

from __future__ import annotations

from decimal import Decimal
from math import copysign
from typing import Any

import orjson

from ambidex.arguments.explain import explain_all
from ambidex.arguments.places import Names
from ambidex.arguments.refusal import refuse
from ambidex.contracts.response import Fault
from ambidex.dialect.validator import compile_schema

_EXACT = 2**53
_BEYOND = 2.0**64
_MANY = 500
"""Values, as commas tell them, up to which every error of a call is looked for."""
_FEW = 50
"""Items of each list that are looked at when a call has more values than that and a choice of forms."""
_COUNTING = frozenset({"minItems", "contains", "minContains"})
"""Rules that the start of a list may break though the whole does not."""


class ArgumentCheck:
    """Raises `ambidex.dialect.validator.SchemaError` when made from a schema that is none."""

    __slots__ = ("_has_forms", "_schema", "_validator", "is_valid")

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._validator = compile_schema(schema)
        self.is_valid = self._validator.is_valid
        text = orjson.dumps(schema)
        self._has_forms = b'"anyOf"' in text or b'"oneOf"' in text

    def check(self, args: dict[str, Any]) -> Fault | None:
        """None, or the fault to answer with. `args` is plain data as `parse` makes it."""
        if self.is_valid(args):
            return None
        if _is_small(args):
            return explain_all(self._schema, args, self._validator.iter_errors(args))
        if self._has_forms:
            return self._explain_start(args)
        return explain_all(self._schema, args, self._first_error(args), partial=True)

    def _explain_start(self, args: dict[str, Any]) -> Fault:
        """Of a value that fits no form even one error holds those of all forms, so only the start of lists is shown."""
        start = _starts(args)
        errors = self._validator.iter_errors(start) if _is_small(start) else ()
        told = [error for error in errors if error.kind.name not in _COUNTING]
        return explain_all(self._schema, start, told, partial=True) if told else _TOO_MANY

    def _first_error(self, args: dict[str, Any]) -> list[Any]:
        """The validator makes all errors at once, each with copies of what it is about: too dear by the thousand."""
        try:
            self._validator.validate(args)
        except ValueError as error:
            return [error]
        return []

    def check_huge_floats(self, args: dict[str, Any]) -> Fault | None:
        """Refuses a float of 2**53 or more where an integer is due: it no longer says which integer was meant.

        To the validator 1e20 is an integer. So each such number is shown to it with a half put on: if it fits
        no longer because of its type, an integer was due.
        """
        huge: list[tuple[str | int, ...]] = []
        _find_huge(args, [], huge)
        if not huge:
            return None
        exact = len(huge) <= _MANY
        halved = _with_halves(args, exact)
        errors = self._validator.iter_errors(halved) if exact else self._first_error(halved)
        due = {tuple(error.instance_path) for error in errors if error.kind.name in _TYPE_LIKE}
        inexact = [path for path in huge if path in due]
        if not inexact:
            return None
        names = Names(self._schema)
        words = [f"{names.words(path)} is beyond 2**53: give an integer, with all its digits" for path in inexact]
        facts = {"rule": "type", "limit": "integer", "got": "number"}
        return refuse(words, [{"pointer": names.pointer(path), **facts} for path in inexact])


_TYPE_LIKE = ("type", "anyOf", "oneOf")
_TOO_MANY = refuse(
    ["the arguments do not fit, and hold too many values to say where: send fewer, or one of the forms described"],
    [{"pointer": "", "rule": "size", "limit": _MANY}],
    partial=True,
)


def _is_small(args: dict[str, Any]) -> bool:
    return orjson.dumps(args).count(b",") <= _MANY


def _starts(value: Any) -> Any:
    """The value with only the first items of each list; their places stay the same."""
    if type(value) is dict:
        return {key: _starts(item) for key, item in value.items()}
    return [_starts(item) for item in value[:_FEW]] if type(value) is list else value


def _find_huge(value: Any, path: list[str | int], found: list[tuple[str | int, ...]]) -> None:
    items = value.items() if type(value) is dict else enumerate(value)
    for step, item in items:
        kind = type(item)
        if kind is float and abs(item) >= _EXACT:
            found.append((*path, step))
        elif kind is dict or kind is list:
            _find_huge(item, [*path, step], found)


def _with_halves(value: Any, exact: bool) -> Any:
    """Where there are thousands, numbers beyond 64 bits are shown as the same one: their digits are what costs time."""
    if type(value) is dict:
        return {key: _with_halves(item, exact) for key, item in value.items()}
    if type(value) is list:
        return [_with_halves(item, exact) for item in value]
    if type(value) is float and abs(value) >= _EXACT:
        shown = value if exact or abs(value) < _BEYOND else copysign(_BEYOND, value)
        return Decimal(f"{int(shown)}.5")  # exact, which arithmetic on decimals is not
    return value

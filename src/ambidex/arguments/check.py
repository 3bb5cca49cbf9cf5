"""The tool's schema, compiled: a valid call costs one look, and only a refused one pays for words."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import orjson

from ambidex.arguments.explain import explain_all
from ambidex.arguments.places import Names
from ambidex.arguments.refusal import refuse
from ambidex.contracts.response import Fault
from ambidex.dialect.validator import compile_schema

_EXACT = 2**53
_MANY = 500
"""Values, as commas tell them, up to which every error of a call is looked for."""


class ArgumentCheck:
    """Raises `ambidex.dialect.validator.SchemaError` when made from a schema that is none."""

    __slots__ = ("_is_valid", "_schema", "_validator")

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._validator = compile_schema(schema)
        self._is_valid = self._validator.is_valid

    def check(self, args: dict[str, Any]) -> Fault | None:
        """None, or the fault to answer with. `args` is plain data as `parse` makes it."""
        if self._is_valid(args):
            return None
        if orjson.dumps(args).count(b",") <= _MANY:
            return explain_all(self._schema, args, self._validator.iter_errors(args))
        return explain_all(self._schema, args, self._first_error(args), partial=True)

    def _first_error(self, args: dict[str, Any]) -> list[Any]:
        """The validator makes all errors at once, each with copies of what it is about: too dear by the thousand."""
        try:
            self._validator.validate(args)
        except ValueError as error:
            return [error]
        return []

    def check_huge_floats(self, args: dict[str, Any]) -> Fault | None:
        """Refuses a float of 2**53 or more where an integer is due: it no longer says which integer was meant.

        To the validator 1e20 is an integer. So each such number is shown to it with a half taken off: if it fits
        no longer because of its type, an integer was due.
        """
        huge = [path for path, value in _leaves(args, ()) if type(value) is float and abs(value) >= _EXACT]
        if not huge:
            return None
        halved = _with_halves(args)
        errors = self._validator.iter_errors(halved) if len(huge) <= _MANY else self._first_error(halved)
        due = {tuple(error.instance_path) for error in errors if error.kind.name in _TYPE_LIKE}
        inexact = [path for path in huge if path in due]
        if not inexact:
            return None
        names = Names(self._schema)
        words = [f"{names.words(path)} is beyond 2**53: give an integer, with all its digits" for path in inexact]
        facts = {"rule": "type", "limit": "integer", "got": "number"}
        return refuse(words, [{"pointer": names.pointer(path), **facts} for path in inexact])


_TYPE_LIKE = ("type", "anyOf", "oneOf")


def _leaves(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if type(value) is dict:
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif type(value) is list:
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value


def _with_halves(value: Any) -> Any:
    if type(value) is dict:
        return {key: _with_halves(item) for key, item in value.items()}
    if type(value) is list:
        return [_with_halves(item) for item in value]
    if type(value) is float and abs(value) >= _EXACT:
        return Decimal(value) - Decimal("0.5")
    return value

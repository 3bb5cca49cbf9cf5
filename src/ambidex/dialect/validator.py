"""The one way a JSON Schema becomes a validator: formats asserted, no network, patterns in linear time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ambidex.dialect.formats import NUMBER_FORMATS
from ambidex.dialect.keywords import children
from ambidex.dialect.pointer import from_path

if TYPE_CHECKING:  # jsonschema_rs is loaded by the first schema, not by an import of this package
    import jsonschema_rs


class SchemaError(ValueError):
    """A schema that is none."""

    def __init__(self, message: str, pointer: str) -> None:
        super().__init__(message)
        self.pointer = pointer


def compile_schema(schema: Any) -> jsonschema_rs.Draft202012Validator:
    """A validator for `schema`, whose depth the caller has bounded; raises `SchemaError` naming the place."""
    import jsonschema_rs

    try:
        return jsonschema_rs.Draft202012Validator(
            _with_number_bounds(schema),
            formats=dict.fromkeys(NUMBER_FORMATS, _accept),
            validate_formats=True,
            ignore_unknown_formats=False,
            offline=True,
            pattern_options=jsonschema_rs.RegexOptions(),
        )
    except jsonschema_rs.ValidationError as error:
        raise SchemaError(error.message, from_path(error.instance_path)) from None
    except (ValueError, TypeError, OverflowError) as error:
        raise SchemaError(str(error), "") from None


def _accept(_: str) -> bool:
    return True


def _with_number_bounds(schema: Any) -> Any:
    """`format: int32` and the like written out as bounds; the schema itself where none occurs."""
    if not _names_number_format(schema):
        return schema
    return _bounded(schema)


def _names_number_format(node: Any) -> bool:
    if not isinstance(node, dict):
        return False
    fmt = node.get("format")
    if isinstance(fmt, str) and NUMBER_FORMATS.get(fmt):
        return True
    return any(_names_number_format(below) for _, below in children(node))


def _bounded(node: Any) -> Any:
    if isinstance(node, list):
        return [_bounded(item) for item in node]
    if not isinstance(node, dict):
        return node
    copy = {key: value if key in ("enum", "const", "default") else _bounded(value) for key, value in node.items()}
    fmt = node.get("format")
    bounds = NUMBER_FORMATS.get(fmt) if isinstance(fmt, str) else None
    if bounds:
        low, high = bounds
        copy["minimum"] = max(low, copy.get("minimum", low))
        copy["maximum"] = min(high, copy.get("maximum", high))
    return copy

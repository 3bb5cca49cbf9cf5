"""Two spellings, one field: the service reads `parameters_json_schema` as it reads `parametersJsonSchema`."""

from __future__ import annotations

import re
from typing import Any

OPAQUE = frozenset({"args", "response", "parametersJsonSchema", "responseJsonSchema", "default", "example", "enum"})
"""Fields whose content is the client's own: not a name in it is touched."""
MAPS = frozenset({"properties", "labels"})
"""Fields whose names are the client's own, but not what is under them."""


def camel_case(value: Any) -> Any:
    """A request with every field of the service's in its first spelling."""
    if isinstance(value, list):
        return [camel_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {_camel(name): _under(_camel(name), inner) for name, inner in value.items()}


def _under(name: str, value: Any) -> Any:
    if name in OPAQUE:
        return value
    if name in MAPS and isinstance(value, dict):
        return {own: camel_case(inner) for own, inner in value.items()}
    return camel_case(value)


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found.group(1).upper(), name)

"""Anthropic Messages: JSON Schema as written, but no combinator at the root and no odd names among the arguments."""

from __future__ import annotations

import re
from typing import Any

from ambidex.adapters.conversion import Conversion, Unfit
from ambidex.adapters.declared import Declared, described_as
from ambidex.adapters.document import Document
from ambidex.dialect.pointer import child

_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""The service checks the names at the root alone; one that does not fit refuses the whole request."""


def convert(document: Document) -> Conversion:
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in document.root:
            raise Unfit(child("", keyword), "combinator at the root")
    for name in document.root.get("properties", ()):
        if not _NAME.fullmatch(name):
            raise Unfit(child("/properties", name), "property name")
    return Conversion("passthrough", document.as_written())


def declare(tool: Declared, conversion: Conversion) -> dict[str, Any]:
    return {**described_as(tool), "input_schema": conversion.schema}

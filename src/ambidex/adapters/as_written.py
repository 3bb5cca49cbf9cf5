"""For providers that take JSON Schema whole: the authored schema, minus `$schema`."""

from __future__ import annotations

from ambidex.adapters.conversion import Conversion
from ambidex.adapters.document import Document


def convert(document: Document) -> Conversion:
    return Conversion("passthrough", document.as_written())

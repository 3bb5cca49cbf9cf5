"""Does a `$ref` arrive somewhere inside the same schema?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

from ambidex.adapters.conversion import Unfit
from ambidex.adapters.document import Document
from ambidex.adapters.references import find_circle, in_place, targets_of
from ambidex.dialect.keywords import walk
from ambidex.dialect.pointer import resolve


class ReferenceProblem(NamedTuple):
    code: str
    message: str
    fix: str


def problem_of_reference(reference: str, schema: Any) -> ReferenceProblem | None:
    """Anchors (`#name`) count when some `$anchor` has the name; everything beyond `#` is another document."""
    if not reference.startswith("#"):
        return ReferenceProblem("AX208", "points outside this schema", "copy the definition into $defs")
    if _target(reference, schema) is None:
        return ReferenceProblem("AX209", f"{reference[:100]} does not exist", "correct it, or add the definition")
    return None


def ends_nowhere(schema: Any) -> Iterator[str]:
    """Where a chain of references, through `anyOf` and its like too, comes back without entering the value.

    Engines crash on such a circle, or accept anything at all.
    """
    places = dict(walk(schema))
    try:
        document = Document(schema, places, targets_of(schema, places))
        circle = find_circle(document, in_place) if document.targets else None
    except (Unfit, TypeError):
        return  # another rule names what is wrong
    if circle is not None:
        yield circle


def _target(reference: str, schema: Any) -> Any:
    fragment = unquote(reference[1:])
    if not fragment:
        return schema
    if fragment.startswith("/"):
        try:
            return resolve(schema, fragment)
        except (LookupError, ValueError):
            return None
    for _, node in walk(schema):
        if isinstance(node, dict) and fragment in (node.get("$anchor"), node.get("$dynamicAnchor")):
            return node
    return None

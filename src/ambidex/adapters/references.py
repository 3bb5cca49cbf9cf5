"""Where references lead, and the circles they may form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from ambidex.adapters.conversion import Unfit
from ambidex.adapters.document import Document
from ambidex.dialect.pointer import child, from_path, tokens

Edges = Callable[[Document, str, dict[str, Any]], Iterator[str]]


def targets_of(root: dict[str, Any], places: Mapping[str, Any]) -> dict[str, str]:
    """Every reference resolved; raises `Unfit` on one that leaves the schema or leads nowhere."""
    anchors = _anchors(places)
    targets: dict[str, str] = {}
    for pointer, node in places.items():
        for ref in _references(node):
            if ref not in targets:
                targets[ref] = _target(ref, pointer, root.get("$id", ""), places, anchors)
    if targets:
        _no_embedded_identity(places)
    return targets


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for keyword in ("$ref", "$dynamicRef"):
            if keyword in node:
                yield node[keyword]


def _anchors(places: Mapping[str, Any]) -> dict[str, str]:
    return {
        node[keyword]: pointer
        for pointer, node in places.items()
        if isinstance(node, dict)
        for keyword in ("$anchor", "$dynamicAnchor")
        if keyword in node
    }


def _target(ref: str, pointer: str, identity: str, places: Mapping[str, Any], anchors: Mapping[str, str]) -> str:
    base, _, fragment = ref.partition("#")
    if base and base != identity.removesuffix("#"):
        raise Unfit(pointer, "remote $ref")
    place = unquote(fragment)
    target = from_path(tokens(place)) if not place or place.startswith("/") else anchors.get(place)
    if target is None or target not in places:
        raise Unfit(pointer, "unresolved $ref")
    return target


def _no_embedded_identity(places: Mapping[str, Any]) -> None:
    # Below an inner $id, "#/..." means that inner schema. No provider agrees on it, so it is not guessed at.
    for pointer, node in places.items():
        if pointer and isinstance(node, dict) and "$id" in node:
            raise Unfit(child(pointer, "$id"), "$id inside a schema that uses $ref")


def find_circle(document: Document, edges: Edges) -> str | None:
    """The place whose edge closes a circle, or None. Iterative: chains of references may be long."""
    done: set[str] = set()
    for start in document.places:
        path: dict[str, Iterator[str]] = {start: _successors(document, start, edges)} if start not in done else {}
        while path:
            here = next(reversed(path))
            following = next(path[here], None)
            if following is None:
                done.add(here)
                del path[here]
            elif following in path:
                return here
            elif following not in done:
                path[following] = _successors(document, following, edges)
    return None


def _successors(document: Document, pointer: str, edges: Edges) -> Iterator[str]:
    node = document.places[pointer]
    return edges(document, pointer, node) if isinstance(node, dict) else iter(())


def in_place(document: Document, pointer: str, node: dict[str, Any]) -> Iterator[str]:
    """What judges the same value as `node` does. A circle of these never ends; engines crash or accept anything."""
    for ref in _references(node):
        yield document.targets[ref]
    for keyword in ("allOf", "anyOf", "oneOf"):
        for index in range(len(node.get(keyword, ()))):
            yield child(child(pointer, keyword), index)
    for keyword in ("not", "if", "then", "else"):
        if keyword in node:
            yield child(pointer, keyword)
    for name in node.get("dependentSchemas", ()):
        yield child(child(pointer, "dependentSchemas"), name)


def without_optional(document: Document, pointer: str, node: dict[str, Any]) -> Iterator[str]:
    """What a value must reach into, as a schema without its optional properties says."""
    yield from in_place(document, pointer, {key: node[key] for key in _CARRIED_IN_PLACE if key in node})
    for name in node.get("properties", ()):
        if name in node.get("required", ()):
            yield child(child(pointer, "properties"), name)
    for keyword in ("items", "additionalProperties"):
        if keyword in node:
            yield child(pointer, keyword)
    for index in range(len(node.get("prefixItems", ()))):
        yield child(child(pointer, "prefixItems"), index)


_CARRIED_IN_PLACE = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf")

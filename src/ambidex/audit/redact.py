"""Values that an author marked with `redact` are replaced before anything is kept: by path, in a copy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

REDACTED = "[redacted]"

_Tree: TypeAlias = "dict[str, _Tree | None]"
"""Name -> what to look for below it; None means the value itself goes."""


class Redactor:
    """The paths of one tool under one root, compiled once: `Redactor(spec.redact, "args").apply(args)`.

    In a path a name is a member of an object, or an index of an array; `*` is each of either.
    """

    __slots__ = ("_tree",)

    def __init__(self, paths: Iterable[str], root: str) -> None:
        self._tree: _Tree = {}
        for path in paths:
            head, *names = path.split(".")
            if head == root and names:
                _plant(self._tree, names)

    def __bool__(self) -> bool:
        """Whether there is anything to redact."""
        return bool(self._tree)

    def apply(self, value: Any) -> Any:
        """The value with `[redacted]` at the paths; what is not on a path is the same object, and nothing changes."""
        return _redacted(value, [self._tree]) if self._tree else value


def redact(value: Any, paths: Iterable[str], root: str = "args") -> Any:
    """The same for a single use."""
    return Redactor(paths, root).apply(value)


def _plant(tree: _Tree, names: list[str]) -> None:
    for name in names[:-1]:
        below = tree.setdefault(name, {})
        if below is None:
            return  # a shorter path already removes all of it
        tree = below
    tree[names[-1]] = None


def _redacted(value: Any, trees: list[_Tree]) -> Any:
    """Several trees may hold at once: a name's own and that of `*`."""
    if isinstance(value, Mapping):
        return {name: _member(item, str(name), trees) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_member(item, str(index), trees) for index, item in enumerate(value)]
    return value


def _member(item: Any, name: str, trees: list[_Tree]) -> Any:
    below = [tree[step] for tree in trees for step in {name, "*"} if step in tree]
    if None in below:
        return REDACTED
    return _redacted(item, [tree for tree in below if tree is not None]) if below else item

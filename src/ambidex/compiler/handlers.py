"""What a handler's source says of itself, read without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ambidex.authoring.python import Tree
from ambidex.contracts.intents import INTENT_NAMES

_SUSPENDS = (ast.Await, ast.AsyncFor, ast.AsyncWith)


def find_execute(module: ast.Module) -> ast.AsyncFunctionDef | None:
    """The last top-level `async def execute`, as Python would bind it."""
    found = [node for node in module.body if isinstance(node, ast.AsyncFunctionDef) and node.name == "execute"]
    return found[-1] if found else None


def takes_two(function: ast.AsyncFunctionDef) -> bool:
    """Whether it can be called with exactly two positional arguments."""
    arguments = function.args
    positional = len(arguments.posonlyargs) + len(arguments.args)
    required = positional - len(arguments.defaults)
    lone_keywords = [default for default in arguments.kw_defaults if default is None]
    return required <= 2 <= positional and not lone_keywords


def can_suspend(tree: Tree, function: ast.AsyncFunctionDef) -> bool:
    """Whether running it may yield to the event loop. A decorator may put anything around it, so it counts as yes."""
    if function.decorator_list:
        return True
    return any(
        isinstance(node, _SUSPENDS) or (isinstance(node, ast.comprehension) and node.is_async)
        for node in tree.within(function)
    )


def named_intents(trees: Iterable[Tree]) -> tuple[str, ...]:
    """Intents that the source names, as `Intent.X`, as a string, or by a bare name."""
    names = {name for tree in trees for node in tree.nodes for name in _names(node)}
    return tuple(name for name in INTENT_NAMES if name in names)


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id

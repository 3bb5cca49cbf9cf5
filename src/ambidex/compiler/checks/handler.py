"""Can the handler be run as it stands? Read from its syntax tree; nothing of it is executed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from ambidex.authoring.finding import Finding
from ambidex.authoring.python import Tree
from ambidex.authoring.source import HANDLER, Source
from ambidex.compiler.handlers import find_execute, named_intents, takes_two

_AWAITED = frozenset("blocks calendar call_tool images in_thread kb messaging registry voice".split())
_PLAIN = frozenset({("audit", "log"), ("progress",), ("voice", "is_active"), ("has",)})


def execute_is_there(source: Source) -> Iterator[Finding]:
    if source.handler is None:
        return
    function = find_execute(source.handler.module)
    fix = "define it at the top level of handler.py"
    if function is None:
        place = _plain_execute(source.handler.module)
        message = "execute is not async" if place else "has no async def execute(args, context)"
        yield Finding("AX402", HANDLER, message, fix, *(place or (1, 1)))
    elif not takes_two(function):
        message = "execute does not take (args, context)"
        yield Finding("AX402", HANDLER, message, "give it two positional parameters", *_place(function))


def _plain_execute(module: ast.Module) -> tuple[int, int] | None:
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name == "execute":
            return _place(node)
    return None


def capabilities_are_awaited(source: Source) -> Iterator[Finding]:
    tree = source.handler
    function = find_execute(tree.module) if tree else None
    if tree is None or function is None or not takes_two(function):
        return
    context = [*function.args.posonlyargs, *function.args.args][1].arg
    body = tree.within(function)
    for node in body:
        path = _path(node.func, context) if isinstance(node, ast.Call) else ()
        if not path or not isinstance(node, ast.Call):
            continue
        awaited = isinstance(tree.parents[node], ast.Await)
        name = ".".join(path)
        if path in _PLAIN:
            if awaited:
                yield Finding("AX404", HANDLER, f"{name} is awaited", "remove the await", *_place(node))
        elif path[0] in _AWAITED and not awaited and not _awaited_later(node, tree.parents, body):
            fix = f"write await {context}.{name}(…)"
            yield Finding("AX403", HANDLER, f"{name} is not awaited, so it does nothing", fix, *_place(node))


def _path(node: ast.expr, context: str) -> tuple[str, ...]:
    """`context.messaging.send` -> ("messaging", "send"); empty for anything that does not hang on the context."""
    steps: list[str] = []
    while isinstance(node, ast.Attribute):
        steps.append(node.attr)
        node = node.value
    return tuple(reversed(steps)) if isinstance(node, ast.Name) and node.id == context else ()


def _awaited_later(call: ast.Call, parents: dict[ast.AST, ast.AST], body: list[ast.AST]) -> bool:
    """Whether the coroutine is handed to something: `await gather(call)`, `create_task(call)`, `x = call; await x`."""
    node: ast.AST = call
    while not isinstance(node, ast.stmt):
        node = parents[node]
        if isinstance(node, (ast.Await, ast.Call)):
            return True
    if not isinstance(node, ast.Assign):
        return False
    names = {target.id for target in node.targets if isinstance(target, ast.Name)}
    return any(isinstance(use, ast.Name) and use.id in names and _handed_on(use, parents) for use in body)


def _handed_on(use: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    while not isinstance(use, ast.stmt):
        use = parents[use]
        if isinstance(use, (ast.Await, ast.Call)):
            return True
    return False


def siblings_load(source: Source) -> Iterator[Finding]:
    for file, tree in sorted(source.python.items()):
        yield from _imports_exist(source, file, tree)


def _imports_exist(source: Source, file: str, tree: Tree) -> Iterator[Finding]:
    for node in tree.nodes:
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        if node.level > file.count("/") + 1:
            yield Finding("AX405", file, "imports from outside the tool's folder", _SIBLING, *_place(node))
            continue
        for target in _targets(node, file):
            if not _is_module(source, target):
                message = f"imports {target.replace('/', '.')}, which the folder does not hold"
                yield Finding("AX405", file, message, _SIBLING, *_place(node))


_SIBLING = "add the module to the folder, or import from an installed package"


def _targets(node: ast.ImportFrom, file: str) -> Iterator[str]:
    """The modules that a relative import needs, as paths inside the folder."""
    package = file.split("/")[: -node.level]
    if node.module:
        yield "/".join([*package, *node.module.split(".")])
    else:
        yield from ("/".join([*package, alias.name]) for alias in node.names)


def _is_module(source: Source, target: str) -> bool:
    """A package's own `__init__.py` may define any name, so `from . import name` is fine where there is one."""
    package = target.rpartition("/")[0]
    candidates = (f"{target}.py", f"{target}/__init__.py", f"{package}/__init__.py".lstrip("/"))
    return any(candidate in source.files for candidate in candidates)


def intents_are_declared(source: Source) -> Iterator[Finding]:
    if source.handler is None or "intents" not in (source.schema or {}):
        return
    declared = source.words("intents")
    for name in named_intents([source.handler]):
        if name not in declared:
            message = f"names the intent {name}, which schema.json does not declare"
            yield Finding("AX407", HANDLER, message, "add it to intents", *_where(source.handler, name))


def _where(tree: Tree, name: str) -> tuple[int, int]:
    for node in tree.nodes:
        mentions = (getattr(node, "attr", None), getattr(node, "id", None), getattr(node, "value", None))
        if name in [m for m in mentions if isinstance(m, str)] and isinstance(node, ast.expr):
            return _place(node)
    return 1, 1


def _place(node: ast.stmt | ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset + 1


CHECKS: tuple[Callable[[Source], Iterator[Finding]], ...] = (
    execute_is_there,
    capabilities_are_awaited,
    siblings_load,
    intents_are_declared,
)

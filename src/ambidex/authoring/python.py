"""A Python file of a tool, parsed and never run: its nodes, walked once for everybody who looks."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass, field

from ambidex.authoring.finding import Finding


@dataclass(slots=True)
class Tree:
    module: ast.Module
    nodes: list[ast.AST] = field(default_factory=list)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes, parents = [self.module], self.parents
        for node in nodes:  # grows while it is walked
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, ast.AST):
                    parents[value] = node
                    nodes.append(value)  # type: ignore[arg-type]
                elif isinstance(value, list):
                    for item in value:
                        if isinstance(item, ast.AST):
                            parents[item] = node
                            nodes.append(item)  # type: ignore[arg-type]
        self.nodes = list(nodes)

    def within(self, top: ast.AST) -> list[ast.AST]:
        """Every node below `top`, in the order of the whole."""
        inside = {top}
        for node in self.nodes:
            if self.parents.get(node) in inside:
                inside.add(node)
        return [node for node in self.nodes if node in inside]


def parse_python(data: bytes, file: str, code: str) -> tuple[Tree | None, list[Finding]]:
    """The tree, or what is wrong under the lint `code`."""
    try:
        with warnings.catch_warnings():
            # A handler's own style (an invalid escape, say) is not this build's business.
            warnings.simplefilter("ignore")
            return Tree(ast.parse(data, filename=file)), []
    except SyntaxError as error:
        where = (error.lineno or 1, max(error.offset or 1, 1))
        return None, [Finding(code, file, f"does not parse: {error.msg}", "mend the syntax", *where)]
    except (ValueError, RecursionError, MemoryError) as error:
        return None, [Finding(code, file, f"does not parse: {error}", "mend the file")]

"""Front matter: a small, predictable YAML. Plain text stays text, so `no` is a word and a date is what was written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from ambidex.capabilities.kb.importing.told import Unfit

MAX_BYTES = 64 << 10
MAX_DEPTH = 16
_FENCE = re.compile(r"---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_PLAIN = (
    ("tag:yaml.org,2002:bool", r"true|false", "tf"),
    ("tag:yaml.org,2002:null", r"null|~|", ["n", "~", ""]),
    ("tag:yaml.org,2002:int", r"[-+]?(?:0|[1-9][0-9]{0,17})", "-+0123456789"),
    ("tag:yaml.org,2002:float", r"[-+]?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?", "-+0123456789"),
)
"""The words without quotes that are no text: JSON's, and an empty value."""


def split(text: str) -> tuple[str, str, int]:
    """Front matter (empty if there is none), the rest, and the line on which the rest begins."""
    opening = _FENCE.match(text)
    if opening is None:
        return "", text, 1
    closing = _END.search(text, opening.end())
    if closing is None:
        raise Unfit("front matter is opened with --- and never closed; end it with a line of ---", 1)
    body = text[closing.end() :].removeprefix("\n")
    return text[opening.end() : closing.start()], body, text.count("\n", 0, closing.end()) + 2


def parse(text: str) -> tuple[dict[str, Any], Mapping[str, int]]:
    """The fields of the text between the fences, and the line of each in the file."""
    if len(text.encode()) > MAX_BYTES:
        raise Unfit(f"front matter is longer than {MAX_BYTES:,} bytes; put the text below it", 1)
    import yaml  # a moment's work that `--help` need not wait for

    try:
        _check_shape(text, yaml)
        loader = _loader()(text)
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        if not isinstance(node, yaml.MappingNode):
            raise Unfit("front matter must be lines such as `title: A title`; mend it", 2)
        lines = _lines(node)
        return dict(loader.construct_document(node)), lines
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 2 if mark else 2
        raise Unfit(
            f"front matter is not YAML: {error.problem}; put the value in quotes or mend the indent", line
        ) from None
    except yaml.YAMLError as error:
        raise Unfit(f"front matter is not YAML: {' '.join(str(error).split())}; remove what is not text", 2) from None


def _check_shape(text: str, yaml: Any) -> None:
    """Before anything is composed: deep nesting would overflow the C stack, references could grow without end."""
    depth = 0
    for event in yaml.parse(text, Loader=_loader()):
        if isinstance(event, yaml.AliasEvent):
            raise Unfit("front matter uses a YAML reference (*name); write the value out", event.start_mark.line + 2)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise Unfit(f"front matter is nested more than {MAX_DEPTH} deep; flatten it", event.start_mark.line + 2)


def _lines(node: Any) -> dict[str, int]:
    lines: dict[str, int] = {}
    for key, _ in node.value:
        line = key.start_mark.line + 2
        name = str(key.value)
        if name in lines:
            raise Unfit(f"{name} stands twice in the front matter; remove one", line)
        lines[name] = line
    return lines


@cache
def _loader() -> Any:
    """PyYAML's safe loader, in C where it was built so, that resolves `_PLAIN` and nothing else."""
    import yaml

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    kind: Any = type("FrontMatterLoader", (base,), {"yaml_implicit_resolvers": {}})
    for tag, pattern, first in _PLAIN:
        kind.add_implicit_resolver(tag, re.compile(rf"^(?:{pattern})$"), list(first))
    return kind

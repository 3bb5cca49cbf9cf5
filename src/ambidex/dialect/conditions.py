"""Conditions in CEL: `availability` and `confirmWhen`. Compiled and type-checked; never Python's eval."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ambidex.dialect.nearest import nearest

FIELDS: dict[str, tuple[str, ...] | None] = {
    "user": ("authenticated", "id", "namespaces", "scopes", "tenant"),
    "session": (
        "conversation",
        "id",
        "isActive",
        "mode",
        "pendingEndVoiceSession",
        "pendingMessages",
        "shouldSuppressAudio",
        "shouldSuppressTranscript",
    ),
    "config": ("environment", "locale", "region", "timezone", "values"),
    "turn": ("input",),
    "args": None,
}
"""What the names in a condition have. `args` has the tool's own parameters."""

AVAILABILITY = ("mode", "user", "session", "config")
CONFIRM_WHEN = (*AVAILABILITY, "args", "turn")

_STRINGS = re.compile(r"""r?("([^"\\]|\\.)*"|'([^'\\]|\\.)*')""")
_ACCESS = re.compile(r"(?<![\w.])(user|session|config|turn|args)\.([A-Za-z_]\w*)")
_PLACE = re.compile(r"<input>:(\d+):(\d+): (.*)")


class ConditionError(ValueError):
    """An expression that is no condition; `offset` is where in it, `boolean` tells that only its type is wrong."""

    def __init__(self, message: str, offset: int = 0, *, boolean: bool = False) -> None:
        super().__init__(message)
        self.offset = offset
        self.boolean = boolean


@dataclass(frozen=True, slots=True)
class Condition:
    """A compiled condition."""

    text: str
    program: Any

    def evaluate(self, values: Mapping[str, Any]) -> bool | None:
        """True or false; None when evaluating failed, which the caller takes as the safe answer."""
        try:
            result = self.program.eval(data=dict(values)).plain_value()
        except (RuntimeError, ValueError, TypeError):
            return None
        return result if isinstance(result, bool) else None


def compile_condition(text: str, names: tuple[str, ...], parameters: tuple[str, ...] | None = None) -> Condition:
    """Raises `ConditionError`. `parameters`, where given, are all that `args` may have."""
    try:
        program = _environment(names).compile(text)
    except RuntimeError as error:
        raise ConditionError(*_explain(str(error), text)) from None
    kind = program.return_type().name()
    if kind not in ("BOOL", "DYN"):
        raise ConditionError(f"gives {kind.lower()}, not true or false", boolean=True)
    for message, offset in _unknown_fields(text, parameters):
        raise ConditionError(message, offset)
    return Condition(text, program)


@cache
def _environment(names: tuple[str, ...]) -> Any:
    from cel_expr_python import cel

    anything = cel.Type.Map(cel.Type.STRING, cel.Type.DYN)
    turn = cel.Type.Map(cel.Type.STRING, cel.Type.STRING)
    kinds = {"mode": cel.Type.STRING, "turn": turn}
    return cel.NewEnv(variables={name: kinds.get(name, anything) for name in names})


def _explain(error: str, text: str) -> tuple[str, int]:
    """The engine's first sentence, and the offset it names."""
    found = _PLACE.search(error)
    if not found:
        return error.splitlines()[0], 0
    line, column = int(found.group(1)), int(found.group(2))
    before = sum(len(part) + 1 for part in text.split("\n")[: line - 1])
    return found.group(3).replace(" (in container '')", ""), before + column - 1


def _unknown_fields(text: str, parameters: tuple[str, ...] | None) -> Iterator[tuple[str, int]]:
    """CEL types maps as having any key; these maps have known ones."""
    bare = _STRINGS.sub(lambda found: " " * len(found.group()), text)
    for access in _ACCESS.finditer(bare):
        name, member = access.groups()
        known = parameters if name == "args" else FIELDS[name]
        if known is not None and member not in known and not bare.startswith("(", access.end()):
            near = nearest(member, known)
            hint = f"; did you mean {near}?" if near else f"; it has {', '.join(known) or 'nothing'}"
            yield f"{name} has no {member}{hint}", access.start(2)

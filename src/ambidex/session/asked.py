"""A call as a model makes it -> what the ladder judges. Everything about it that needs no store is worked out here."""

from __future__ import annotations

from dataclasses import dataclass

from ambidex.arguments.parse import Parsed, parse
from ambidex.arguments.prepare import Prepared
from ambidex.contracts.call import Mode, ToolCall
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault
from ambidex.dialect.nearest import nearest_names
from ambidex.policy.climb import Asked, hash_of
from ambidex.policy.refusing import refusal
from ambidex.registry.registry import Registry

_MOST_ID = 500
_MOST_NAME = 64
_UNKNOWN = refusal(ErrorType.NOT_FOUND, "there is no tool of this name")


@dataclass(frozen=True, slots=True)
class Parent:
    """The call that a handler makes another one from."""

    call_id: str
    depth: int
    untrusted: bool


def tidy(call: ToolCall) -> ToolCall:
    """The call with a name and an id that can be kept and told. What is no text, or too long, names no tool."""
    name = storable(call.name) if isinstance(call.name, str) else ""
    if len(name) > _MOST_NAME:
        name = name[:_MOST_NAME] + "…"
    id = storable(call.id) if isinstance(call.id, str) else None
    if name == call.name and id == call.id:
        return call
    return ToolCall(name=name, args=call.args, id=id)


def storable(text: str) -> str:
    """The text without halves of surrogate pairs, which no store and no wire can carry."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def ask(
    call: ToolCall,
    registry: Registry,
    mode: Mode,
    *,
    provider: str,
    parent: Parent | None = None,
    room: bool = True,
    taken_back: bool = False,
) -> Asked:
    """Never raises: whatever a model sent is answered, never dropped."""
    parsed = parse(call.args)
    known = call.name in registry
    tool = registry._tool(call.name) if known else None
    prepared: Prepared | Fault = _UNKNOWN
    if isinstance(parsed, Fault):
        prepared = parsed
    elif tool is not None:
        prepared = tool.plan.settle(parsed, mode)
    return Asked(
        call=call,
        tool=tool.spec if tool else None,
        nearest=() if known else tuple(nearest_names(call.name, registry.tool_ids(mode), most=3)),
        parsed=parsed,
        prepared=prepared,
        args_hash=_hash(call.name if known else "", prepared, parsed),
        provider=provider if call.id and len(call.id) <= _MOST_ID else "",
        untrusted=parent.untrusted if parent else None,
        parent=parent.call_id if parent else "",
        depth=parent.depth if parent else 0,
        room=room,
        taken_back=taken_back,
    )


def _hash(name: str, prepared: Prepared | Fault, parsed: Parsed | Fault) -> str:
    if isinstance(prepared, Prepared):
        return hash_of(name, prepared.canonical)
    return hash_of(name, parsed.text) if isinstance(parsed, Parsed) else hash_of(name, b"")

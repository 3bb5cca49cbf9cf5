"""The tool parts of a message: each has an id of its own there, its input before its outcome, and one outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault, ToolResponse
from ambidex.server.wire import Chunk, safe, safe_text


@dataclass(slots=True)
class Call:
    """One tool part."""

    wire: str
    name: str
    streaming: bool = False
    ready: bool = False
    waiting: bool = False
    """The pipeline wants the user's approval; the request itself comes next."""
    done: bool = False
    """It has its outcome, or waits for the user by name: nothing more is owed to it in this turn."""

    def input(self, args: Any) -> Chunk:
        self.ready = True
        return {"type": "tool-input-available", "toolCallId": self.wire, "toolName": self.name, "input": safe(args)}


class Calls:
    """Those of one response. `taken`: ids that its message holds already."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._known = set(taken)
        self._calls: dict[str, Call] = {}

    def open(self, id: str, name: str) -> Call:
        wire, number = safe_text(id) or "call", 1
        while wire in self._known:
            number += 1
            wire = f"{safe_text(id) or 'call'}~{number}"
        self._known.add(wire)
        call = self._calls[id] = Call(wire, safe_text(name))
        return call

    def running(self, id: str) -> Call | None:
        """A call of this id that has no outcome yet; the same id after an outcome is another call."""
        call = self._calls.get(id)
        return None if call is None or call.done else call

    def wire_of(self, id: str) -> str:
        """The id by which the client knows a call: of this response, or of an earlier one to the same message."""
        call = self._calls.get(id)
        return call.wire if call else safe_text(id)

    def owed(self, *, waiting: bool = False) -> Iterator[Call]:
        """Calls without an outcome; `waiting`: only those that wait for an approval."""
        yield from (call for call in self._calls.values() if not call.done and (call.waiting or not waiting))


def unheard(why: str) -> ToolResponse:
    """The outcome of a call that nobody will answer any more."""
    fault = Fault(type=ErrorType.CANCELLED, message=f"this call {why}", retryable=False, partial_side_effects=False)
    return ToolResponse(ok=False, error=fault)

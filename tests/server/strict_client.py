"""A client as strict as the strictest that is out there: any chunk that some version of the package `ai` throws at
raises here. It also keeps the message, as far as tests ask about it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

_FIELDS: dict[str, tuple[set[str], set[str]]] = {
    "start": (set(), {"messageId"}),
    "start-step": (set(), set()),
    "finish-step": (set(), set()),
    "text-start": ({"id"}, set()),
    "text-delta": ({"id", "delta"}, set()),
    "text-end": ({"id"}, set()),
    "tool-input-start": ({"toolCallId", "toolName"}, set()),
    "tool-input-delta": ({"toolCallId", "inputTextDelta"}, set()),
    "tool-input-available": ({"toolCallId", "toolName", "input"}, set()),
    "tool-output-available": ({"toolCallId", "output"}, set()),
    "tool-output-error": ({"toolCallId", "errorText"}, set()),
    "source-url": ({"sourceId", "url"}, {"title"}),
    "source-document": ({"sourceId", "mediaType", "title"}, set()),
    "finish": (set(), set()),
    "error": ({"errorText"}, set()),
}
"""Type -> the fields it needs, and those it may have, in the oldest build that reads it."""
_APPROVALS = {
    "tool-approval-request": ({"approvalId", "toolCallId"}, set[str]()),
    "tool-output-denied": ({"toolCallId"}, set[str]()),
}
_DATA = ({"data"}, {"id", "transient"})


class Violation(AssertionError):
    """Some client would throw here."""


@dataclass
class Part:
    name: str
    state: str
    step: int
    approval: str = ""


@dataclass
class StrictClient:
    """Reads one response. `parts` are the calls that the message held before it."""

    approvals: bool = True
    strangers: bool = False
    """It may hold calls of earlier responses that nobody told us of: their outcomes are read as such."""
    parts: dict[str, Part] = field(default_factory=dict)
    data: dict[tuple[str, str], Any] = field(default_factory=dict)
    text: str = ""
    open_text: str = ""
    step: int = 0
    in_step: bool = False
    said_in_step: bool = False
    results_in_step: bool = False
    finished: str = ""

    def read(self, raw: bytes) -> dict[str, Any]:
        """One event, as it came over the wire."""
        assert raw.startswith(b"data: ")
        assert raw.endswith(b"\n\n")
        line = raw[6:-2].decode("utf-8")
        assert "\n" not in line
        chunk: dict[str, Any] = json.loads(line, parse_constant=_refuse, object_pairs_hook=_object)
        self._check(chunk)
        self._apply(chunk)
        return chunk

    def _check(self, chunk: dict[str, Any]) -> None:
        kind = chunk["type"]
        table = _FIELDS | (_APPROVALS if self.approvals else {})
        needs, may = _DATA if kind.startswith("data-") else table.get(kind) or _no(f"unknown type {kind}")
        given = set(chunk) - {"type"}
        if needs - given or given - needs - may:
            _no(f"fields of {kind}: {sorted(given)}")
        for name in given - {"data", "input", "output"}:
            if name == "transient":
                assert chunk[name] is True
            elif not isinstance(chunk[name], str):
                _no(f"{kind}.{name} is no text")
        if self.finished:
            _no(f"{kind} after {self.finished}")

    def _apply(self, chunk: dict[str, Any]) -> None:
        kind = chunk["type"]
        if kind.startswith("data-"):
            if "id" in chunk:
                self.data[kind, chunk["id"]] = chunk["data"]
        elif kind.startswith("text-"):
            self._text(kind, chunk)
        elif kind.startswith("tool-"):
            self._tool(kind, chunk)
        elif kind == "start-step":
            if self.in_step:
                _no("a step inside a step")
            self.step += 1
            self.in_step, self.said_in_step, self.results_in_step = True, False, False
        elif kind == "finish-step":
            if self.open_text or not self.in_step:
                _no("finish-step over an open text, or without a step")
            self.in_step = False
        elif kind in ("finish", "error"):
            if self.open_text or self.in_step:
                _no(f"{kind} inside a text or a step")
            self.finished = kind

    def _text(self, kind: str, chunk: dict[str, Any]) -> None:
        if kind == "text-start":
            if self.open_text:
                _no("two texts at once")
            if self.results_in_step:
                _no("text after a result in the same step: clients would post it for ever")
            self.open_text = chunk["id"]
            return
        if chunk["id"] != self.open_text:
            _no(f"{kind} for a text that is not open")
        if kind == "text-end":
            self.open_text = ""
        else:
            self.text += chunk["delta"]

    def _tool(self, kind: str, chunk: dict[str, Any]) -> None:
        id = chunk["toolCallId"]
        part = self.parts.get(id)
        if kind in ("tool-input-start", "tool-input-available"):
            if part is not None and (kind == "tool-input-start" or part.state != "input-streaming"):
                _no(f"the call id {id} twice")
            state = "input-streaming" if kind == "tool-input-start" else "input-available"
            self.parts[id] = Part(chunk["toolName"], state, self.step)
            return
        if part is None and self.strangers and kind.startswith("tool-output"):
            part = self.parts[id] = Part("", "approval-responded", 0)
        if part is None:
            _no(f"{kind} for an unknown call")
        elif kind == "tool-input-delta":
            if part.state != "input-streaming":
                _no("a delta of an input that is whole")
        elif kind == "tool-approval-request":
            if part.state != "input-available":
                _no(f"an approval asked for a part in state {part.state}")
            part.state, part.approval = "approval-requested", chunk["approvalId"]
        else:
            if part.state not in ("input-available", "approval-responded", "approval-requested"):
                _no(f"{kind} for a part in state {part.state}")
            part.state = kind.removeprefix("tool-")
            if part.step == self.step:
                self.results_in_step = True

    @property
    def would_post_again(self) -> bool:
        """Whether a front end that resubmits complete tool calls by itself would do so now."""
        last = [part for part in self.parts.values() if part.step == self.step]
        return bool(last) and all(part.state.startswith("output") for part in last) and self.finished == "finish"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for name, value in pairs:
        if name == "__proto__" or (name == "constructor" and isinstance(value, dict) and "prototype" in value):
            _no(f"the key {name}")
    return dict(pairs)


def _refuse(constant: str) -> Any:
    _no(constant)


def _no(what: str) -> Any:
    raise Violation(what)

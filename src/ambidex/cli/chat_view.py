"""A turn as a terminal shows it: the model's words on stdout as they come, what its tools do on stderr."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import click

from ambidex.agents import events as shown
from ambidex.agents.events import AgentEvent
from ambidex.cli.output import note
from ambidex.cli.printable import printable, printable_json
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ToolResponse

_MOST_ARGUMENTS = 100


class View(Protocol):
    """Whoever is told of a turn."""

    def show(self, event: AgentEvent) -> None: ...


class Terminal:
    def __init__(self) -> None:
        self._at_line_start = True

    def show(self, event: AgentEvent) -> None:
        match event:
            case shown.TextDelta():
                self._write(_safe(event.text))
            case shown.CallReady():
                self._line(f"  → {printable(event.name)} {_short(event.raw)}")
            case shown.CallAnswered():
                self._line(f"  {_went(event.name, event.answer)}")
            case shown.ApprovalSettled():
                self._line(f"  {_went(event.name, event.answer)}")
            case shown.ClientMessage():
                self._line(f"  {_message(event.message)}")
            case shown.Cited():
                self._line(f"  source: {printable(event.title)} ({printable(event.id)}) {printable(event.url or '')}")
            case shown.TurnFailed():
                self._line(f"error: {printable(event.message)}")
            case shown.TurnEnded(reason="stop" | "approval"):
                self._line()
            case shown.TurnEnded():
                self._line(f"  {_ENDS.get(event.reason, event.reason)}")

    def _write(self, text: str) -> None:
        click.echo(text, nl=False)
        self._at_line_start = text.endswith("\n") if text else self._at_line_start

    def _line(self, text: str = "") -> None:
        """Below the words so far, not in the middle of them."""
        if not self._at_line_start:
            self._write("\n")
        if text:
            note(text)


class Record:
    """The same for a program: what was said, called and decided, one object for each turn."""

    def __init__(self) -> None:
        self.turns: list[dict[str, Any]] = []

    def begin(self, said: str) -> None:
        self.turns.append({"said": said, "text": "", "calls": [], "sources": [], "ended": ""})

    def show(self, event: AgentEvent) -> None:
        turn = self.turns[-1]
        match event:
            case shown.TextDelta():
                turn["text"] += event.text
            case shown.CallAnswered():
                turn["calls"].append(
                    {"id": event.id, "name": event.name, "ok": event.answer.ok, **_error(event.answer)}
                )
            case shown.Cited():
                turn["sources"].append({"id": event.id, "title": event.title, "url": event.url})
            case shown.TurnEnded():
                turn["ended"] = event.reason
            case shown.TurnFailed():
                turn.update(ended="failed", error={"type": event.kind, "message": event.message})


_ENDS = {
    "length": "the answer was too long and breaks off here",
    "filtered": "the model's service withheld the rest",
    "steps": "the turn was ended: the model kept calling tools",
    "blocked": "you are not listened to for a while",
}


_DECISIONS = {
    ErrorType.CONFIRMATION_REQUIRED: "… {name} waits for your approval",
    ErrorType.CONFIRMATION_REJECTED: "✗ {name}: declined, nothing was done",
    ErrorType.CONFIRMATION_EXPIRED: "✗ {name}: not decided in time, nothing was done",
}
"""The sentences in these faults speak to a model; whoever decides needs fewer words."""


def _message(message: Mapping[str, Any]) -> str:
    """What a tool sent to the client. A ticket to voice is a secret, and of no use here."""
    if message.get("type") == "voice_session_start":
        return "a voice session was offered; it cannot be opened in a terminal"
    return f"message to you: {printable_json(message)}"


def _went(tool: str, answer: ToolResponse) -> str:
    name, fault = printable(tool), answer.error
    if fault is not None:
        said = _DECISIONS.get(fault.type)
        return said.format(name=name) if said else f"✗ {name}: {fault.type}, {printable(fault.message)}"
    return f"✓ {name}, {answer.meta.duration:.0f} ms" if answer.meta and answer.meta.attempt else f"✓ {name}"


def _error(answer: ToolResponse) -> dict[str, str]:
    return {"error": str(answer.error.type)} if answer.error is not None else {}


def _short(raw: str) -> str:
    text = printable(raw)
    return text if len(text) <= _MOST_ARGUMENTS else f"{text[:_MOST_ARGUMENTS]}…"


def _safe(text: str) -> str:
    """Lines stay lines; anything else that a terminal would act on is shown, not obeyed."""
    return "".join(char if char in "\n\t" else printable(char) for char in text)

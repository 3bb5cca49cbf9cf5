"""A turn of the agent, as chunks of the AI SDK's UI message stream: what `useChat` front ends of versions 5 to 7 read.

One chunk that a client does not expect ends the whole turn there, so the encoder is a state machine that never sends
one: texts and steps are closed in order, every call gets its input before its outcome and one outcome only, ids of
calls are unique in the message, and a turn never ends right behind a tool's result (clients would post it again, for
ever). Only fields that the strict schemas of old versions know are sent.

`approvalId` is the id of the request here; whoever serves a chunk puts a token in its place (`serving.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, assert_never

from ambidex.agents.events import (
    AgentEvent,
    ApprovalSettled,
    ApprovalWanted,
    CallAnswered,
    CallDelta,
    CallReady,
    CallStarted,
    Cited,
    ClientMessage,
    StepEnded,
    StepStarted,
    TextDelta,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ToolResponse
from ambidex.server.ui_calls import Call, Calls, unheard
from ambidex.server.ui_parts import confirmation, from_tool, notice, outcome, source, timeline
from ambidex.server.ui_steps import Steps
from ambidex.server.wire import Chunk, safe, safe_text

Redact = Callable[[str], Iterable[str]]
"""A tool's id -> the paths of its results that are not shown."""


class Encoder:
    """One for each response. `taken` are the ids of calls that its message holds already, `deciding` those of them that
    the user has just decided about."""

    def __init__(
        self,
        message_id: str,
        *,
        approvals: bool = True,
        taken: Iterable[str] = (),
        deciding: Iterable[str] = (),
        redact: Redact = lambda _: (),
    ) -> None:
        self._message_id = message_id
        self._approvals = approvals
        self._redact = redact
        self._deciding = set(deciding)
        """Parts that wait for the outcome of a decision."""
        self._calls = Calls({*taken, *self._deciding})
        self._steps = Steps()
        self.ended = False

    def begin(self) -> list[Chunk]:
        return [{"type": "start", "messageId": self._message_id}]

    def encode(self, event: AgentEvent) -> list[Chunk]:
        """What the client is sent for this event; nothing more once the turn has ended."""
        return [] if self.ended else list(self._encode(event))

    def end(self) -> list[Chunk]:
        """The end of a turn that told none itself: its client, or the server, went away."""
        return [] if self.ended else list(self._finished())

    # One event

    def _encode(self, event: AgentEvent) -> Iterator[Chunk]:
        match event:
            case TurnStarted():
                facts = {"turn": event.turn, "provider": event.provider, "model": event.model}
                yield {"type": "data-turn", "id": "turn", "data": safe(facts)}
            case StepStarted():
                yield from self._new_step()
            case TextDelta():
                yield from self._said(event.text)
            case CallStarted():
                yield from self._call_started(event)
            case CallDelta():
                yield from self._call_delta(event)
            case CallReady():
                args = event.raw if event.args is None else event.args
                yield from self._call_ready(event.id, event.name, args)
            case CallAnswered():
                yield from self._answered(event)
            case ApprovalWanted():
                yield from self._wanted(event)
            case ApprovalSettled():
                yield from self.settled(event, self._calls.wire_of(event.call_id))
            case Cited():
                yield source(event)
            case ClientMessage():
                yield from_tool(event.message)
            case StepEnded():
                yield from self._steps.end()
            case TurnEnded():
                yield from self._turn_ended(event.reason)
            case TurnFailed():
                yield from self._failed(event)
            case _:
                assert_never(event)

    # Text and steps

    def _said(self, text: str) -> Iterator[Chunk]:
        if not text:
            return
        if not self._steps.takes_text:
            yield from self._new_step()
        yield from self._steps.say(text)

    def _new_step(self) -> Iterator[Chunk]:
        yield from self._settle_waiting()
        yield from self._steps.begin()

    # Calls

    def _before_a_call(self) -> Iterator[Chunk]:
        yield from self._steps.end_text()
        if not self._steps.takes_calls:
            yield from self._new_step()

    def _call_started(self, event: CallStarted) -> Iterator[Chunk]:
        if self._calls.running(event.id):
            return
        yield from self._before_a_call()
        call = self._calls.open(event.id, event.name)
        call.streaming = True
        yield {"type": "tool-input-start", "toolCallId": call.wire, "toolName": call.name}

    def _call_delta(self, event: CallDelta) -> Iterator[Chunk]:
        call = self._calls.running(event.id)
        if call is not None and call.streaming and not call.ready and event.text:
            yield {"type": "tool-input-delta", "toolCallId": call.wire, "inputTextDelta": safe_text(event.text)}

    def _call_ready(self, id: str, name: str, args: Any) -> Iterator[Chunk]:
        call = self._calls.running(id)
        if call is None:
            yield from self._before_a_call()
            call = self._calls.open(id, name)
        if not call.ready:
            yield from self._steps.end_text()
            yield call.input(args)
            yield timeline(call.wire, call.name, "running")

    def _answered(self, event: CallAnswered) -> Iterator[Chunk]:
        call = self._calls.running(event.id)
        if call is None:
            return
        if event.answer.error is not None and event.answer.error.type is ErrorType.CONFIRMATION_REQUIRED:
            call.waiting = True
            return
        yield from self._outcome(call, event.answer)

    def _outcome(self, call: Call, answer: ToolResponse) -> Iterator[Chunk]:
        if not call.ready:
            yield call.input({})
        call.done, self._steps.results = True, True
        yield outcome(call.wire, answer, self._redact(call.name))
        yield timeline(call.wire, call.name, "ok" if answer.ok else "failed", answer)

    # Confirmation

    def _wanted(self, event: ApprovalWanted) -> Iterator[Chunk]:
        # A tool that another tool called: the client has not seen its call yet. It stays in the step of its parent,
        # since clients ask for decisions only of the last one.
        call = self._calls.running(event.call_id) or self._calls.open(event.call_id, event.name)
        yield from self._steps.end_text()
        if not call.ready:
            yield call.input(event.args)
        call.done = True
        yield confirmation(event, call.wire)
        yield timeline(call.wire, call.name, "waiting")
        if self._approvals:
            self._steps.asked.add(call.wire)
            self._deciding.add(call.wire)
            yield {"type": "tool-approval-request", "approvalId": safe_text(event.request_id), "toolCallId": call.wire}
        else:
            # Version 5 knows no approvals; a part without an outcome would look like one that still runs.
            self._steps.results = True
            waits = {"state": "waiting", "confirmation": safe_text(event.request_id)}
            yield {"type": "tool-output-available", "toolCallId": call.wire, "output": waits}

    def settled(self, event: ApprovalSettled, wire: str) -> Iterator[Chunk]:
        """The outcome of a decision, for the part `wire`; one that does not wait for it is left as it is."""
        state = _end_of(event)
        if event.request_id:
            yield confirmation(event, wire, state)
        if wire not in self._deciding:
            return
        self._deciding.discard(wire)
        self._steps.results = True
        declined = state in ("rejected", "expired")
        if declined and self._approvals:
            yield {"type": "tool-output-denied", "toolCallId": wire}
        else:
            yield outcome(wire, event.answer, self._redact(event.name))
        ended = state if declined else "ok" if event.answer.ok else "failed"
        yield timeline(wire, safe_text(event.name), ended, event.answer)

    # The end

    def _turn_ended(self, reason: str) -> Iterator[Chunk]:
        yield from self._abandon()
        yield from self._steps.end()
        if told := notice(reason):
            yield told
        yield from self._finished()

    def _finished(self) -> Iterator[Chunk]:
        yield from self._abandon()
        yield from self._steps.end()
        if self._steps.results and not self._steps.asked & self._deciding:
            # Nothing was said after a result: an empty step keeps clients from posting it again.
            yield from self._new_step()
            yield from self._steps.end()
        self.ended = True
        yield {"type": "finish"}

    def _failed(self, event: TurnFailed) -> Iterator[Chunk]:
        yield from self._abandon()
        yield from self._steps.end()
        self.ended = True
        yield {"type": "error", "errorText": safe_text(event.message)}

    def _abandon(self) -> Iterator[Chunk]:
        """Calls that nobody will answer any more: the model's message broke off, or the turn was stopped."""
        yield from self._settle_waiting()
        for call in self._calls.owed():
            yield from self._outcome(call, unheard("was not run: the turn ended before it"))

    def _settle_waiting(self) -> Iterator[Chunk]:
        """Calls that wait for an approval which is asked for under another name: that of a tool they called."""
        for call in self._calls.owed(waiting=True):
            yield from self._outcome(call, unheard("waits for the approval of a call that it made"))


def _end_of(event: ApprovalSettled) -> str:
    fault = event.answer.error
    if not event.request_id:
        return "unknown"
    if fault is not None and fault.type is ErrorType.CONFIRMATION_EXPIRED:
        return "expired"
    if fault is not None and fault.type is ErrorType.CONFIRMATION_REJECTED:
        return "rejected"
    return "approved" if event.approved else "rejected"

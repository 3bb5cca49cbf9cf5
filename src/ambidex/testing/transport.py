"""A transport without a wire: a scripted model on one side, a session on the other, and everything that was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ambidex.contracts.call import ToolCall
from ambidex.contracts.response import ToolResponse
from ambidex.session.session import Session
from ambidex.session.views import View, model_view


@dataclass(slots=True)
class MemoryTransport:
    """Turns events into calls and envelopes into results, as a provider's transport does.

    `stable_ids` says whether the pretended provider's ids can be trusted.
    """

    session: Session
    view: View = "full"
    stable_ids: bool = True
    to_model: list[bytes] = field(default_factory=list)
    """Every byte that the model was sent."""
    to_client: list[Mapping[str, Any]] = field(default_factory=list)
    envelopes: list[ToolResponse] = field(default_factory=list)
    connected: bool = True

    def __post_init__(self) -> None:
        self.session.channel = self

    async def send(self, message: Mapping[str, Any]) -> None:
        """The user's client."""
        if not self.connected:
            raise ConnectionError("the client is gone")
        self.to_client.append(dict(message))

    def receive(self, event: Mapping[str, Any]) -> Sequence[ToolCall]:
        """`{"calls": [{"id", "name", "args"}]}`; anything else carries no calls."""
        calls = event.get("calls", ())
        return [ToolCall(id=call.get("id"), name=call.get("name", ""), args=call.get("args", "{}")) for call in calls]

    async def send_result(self, call: ToolCall, response: ToolResponse) -> None:
        self._send({"id": call.id}, call.name, response)

    async def send_outcome(self, outcome: ToolResponse) -> None:
        """What became of a request, as a new item that names the earlier call; never a second answer to it."""
        meta = outcome.meta
        self._send({"outcomeOf": meta.call_id if meta else None}, meta.tool_id if meta else "", outcome)

    def _send(self, head: Mapping[str, Any], tool: str, response: ToolResponse) -> None:
        self.envelopes.append(response)
        registry = self.session.registry
        redact = registry.metadata(tool).get("redact", ()) if tool in registry else ()
        body = {**head, "name": tool, "result": model_view(response, self.view, redact=redact)}
        self.to_model.append(msgspec.json.encode(body))

    async def handle(self, event: Mapping[str, Any]) -> list[ToolResponse]:
        """One message of the model: every call gets exactly one answer, in the order asked."""
        calls = self.receive(event)
        answers = await self.session.answer(calls, provider="memory" if self.stable_ids else "")
        for call, answer in zip(calls, answers, strict=True):
            await self.send_result(call, answer)
        return answers

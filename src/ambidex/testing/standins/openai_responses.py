"""OpenAI Responses: `POST /v1/responses`, streamed. Responses that may be stored can be gone on from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ambidex.testing.standins.heard import Heard, Line
from ambidex.testing.standins.http import Request
from ambidex.testing.standins.openai_common import OpenAIStandin, refuse_other_paths, text_of
from ambidex.testing.standins.openai_responses_events import Writer
from ambidex.testing.standins.openai_responses_rules import check_body, check_items, check_seals
from ambidex.testing.standins.refusal import Refusal
from ambidex.testing.standins.standin import MadeCall
from ambidex.testing.standins.steps import Message


class OpenAIResponsesStandin(OpenAIStandin):
    """A model behind Responses; one that thinks gives a reasoning item, which must come back with what it led to."""

    def __init__(self, *args: Any, account: str = "", encrypts: bool = True, **options: Any) -> None:
        """`account`: encrypted content of another one is refused. `encrypts`: whether the model gives any."""
        super().__init__(*args, **options)
        self._account = account
        self._encrypts = encrypts
        self._stored: dict[str, list[dict[str, Any]]] = {}
        """Response -> the whole conversation up to and with it."""
        self._kept: set[str] = set()
        """Items that the service itself still has."""
        self._thoughts: dict[str, str] = {}
        """Item -> the reasoning item that it must not be parted from."""

    def route(self, request: Request) -> None:
        refuse_other_paths(request, "/v1/responses")

    def check(self, body: dict[str, Any], request: Request) -> None:
        check_body(body, encrypts=self._encrypts)
        check_seals(body, self._account)
        check_items(self._conversation(body), self._thoughts, self._kept)

    def hear(self, body: dict[str, Any]) -> Heard:
        items = self._conversation(body)
        told = [text_of(item["content"]) for item in items if item.get("role") in ("system", "developer")]
        tools = tuple(tool["name"] for tool in body.get("tools", ()))
        return Heard(body, "\n".join([body.get("instructions") or "", *told]).strip(), tools, tuple(_lines(items)))

    def _conversation(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        asked = body["input"]
        items = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
        earlier = body.get("previous_response_id")
        if earlier is None:
            return list(items)
        if earlier not in self._stored:
            message = f"Previous response with id '{earlier}' not found."
            raise Refusal(message, param="previous_response_id", code="previous_response_not_found")
        return [*self._stored[earlier], *items]

    def frames(
        self, message: Message, calls: Sequence[MadeCall], body: dict[str, Any], request: Request
    ) -> Iterator[bytes]:
        writer = Writer(self.new_id("resp_"), body)
        yield from writer.begin()
        thought = ""
        if self.thinks:
            thought = self.new_id("rs_")
            yield from writer.reasoning(thought, self._account)
        if message.text:
            yield from writer.text(self.new_id("msg_"), message.text)
        for call in calls:
            item = self.new_id("fc_")
            if thought:
                self._thoughts[item] = thought
            yield from writer.call(item, call)
        if body.get("store", True):
            self._stored[writer.id] = [*self._conversation(body), *writer.output]
            self._kept |= {item["id"] for item in writer.output}
        yield from writer.end(message.ending)


def _lines(items: Sequence[dict[str, Any]]) -> Iterator[Line]:
    names: dict[str, str] = {}
    for item in items:
        match item.get("type", "message"), item.get("role"):
            case "message", "user":
                yield Line("user", text_of(item["content"]))
            case "message", "assistant":
                yield Line("model", text_of(item["content"]))
            case "function_call", _:
                names[item["call_id"]] = item["name"]
                yield Line("model", item["arguments"], item["call_id"], item["name"])
            case "function_call_output", _:
                yield Line("tool", text_of(item["output"]), item["call_id"], names[item["call_id"]])

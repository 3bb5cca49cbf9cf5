"""What the four stand-ins share: a server, a script, and what was asked and refused.

A service says which paths it has, what it refuses, how its model reads a request, and how an answer is streamed.
"""

from __future__ import annotations

import itertools
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Self

from ambidex.testing.standins.heard import Heard
from ambidex.testing.standins.http import Answer, HungUp, LoopbackServer, Request, json_answer
from ambidex.testing.standins.refusal import Refusal
from ambidex.testing.standins.sse import PIECES, in_pieces
from ambidex.testing.standins.steps import Ending, Message, RateLimited, Script, ServerError, next_steps

_NUMBERS = itertools.count(1)
"""For ids: shared, because no two services ever give the same one."""


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call with the id that the service gave it, and the raw text of its arguments, whole or not."""

    id: str
    name: str
    args: str
    whole: bool = True


class Standin(ABC):
    """`async with OpenAIChatStandin([Say("Hello")]) as it:` then a client of the real service at `it.base_url`."""

    id_prefix: ClassVar[str] = "call_"
    base_path: ClassVar[str] = ""
    """What the vendor's client expects as part of the base address."""

    def __init__(
        self, script: Script, *, key: str | None = None, thinks: bool = False, pieces: Sequence[int] = PIECES
    ) -> None:
        """`key`: the only one that is accepted; without it any will do. `thinks`: the model thinks aloud first."""
        self._next = next_steps(script)
        self._key = key
        self._pieces = pieces
        self._server = LoopbackServer(self._answer)
        self.thinks = thinks
        self.requests: list[dict[str, Any]] = []
        """The parsed body of every request with a JSON object, refused ones too."""
        self.headers: list[Mapping[str, str]] = []
        self.refused: list[Refusal] = []
        """Empty, unless the client did something that the service would not take."""

    @property
    def base_url(self) -> str:
        return self._server.address + self.base_path

    async def __aenter__(self) -> Self:
        await self._server.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.close()

    async def _answer(self, request: Request) -> Answer:
        try:
            return self._stream_for(request)
        except Refusal as refusal:
            self.refused.append(refusal)
            return json_answer(refusal.status, self.problem(refusal))

    def _stream_for(self, request: Request) -> Answer:
        """The order in which the services look: is there such a place, who asks, what is asked."""
        self.route(request)
        self.authorize(request)
        body = self._parsed(request)
        self.requests.append(body)
        self.headers.append(request.headers)
        body = self.normal(body)
        self.check(body, request)
        match self._next(self.hear(body)):
            case None:
                raise Refusal("The script of this stand-in has no step left for this request.")
            case RateLimited(retry_after=seconds):
                return self.rate_limit(seconds)
            case ServerError(status=status):
                return json_answer(status, self.problem(Refusal("The server had an error.", status=status)))
            case message:
                frames = self._frames(message, self.made(message), body, request)
                return Answer(200, in_pieces(frames, self._pieces), {"content-type": "text/event-stream"})

    def _frames(
        self, message: Message, calls: Sequence[MadeCall], body: dict[str, Any], request: Request
    ) -> Iterator[bytes]:
        yield from self.frames(message, calls, body, request)
        if message.ending is Ending.CUT:
            raise HungUp

    @staticmethod
    def _parsed(request: Request) -> dict[str, Any]:
        if not request.headers.get("content-type", "").startswith("application/json"):
            raise Refusal("The content type must be application/json.")
        try:
            body = json.loads(request.body)
        except ValueError:
            raise Refusal("We could not parse the JSON body of your request.") from None
        if not isinstance(body, dict):
            raise Refusal("The body of your request must be a JSON object.")
        return body

    def made(self, message: Message) -> list[MadeCall]:
        """The calls of a message with their ids; the last one of a truncated message with half of its arguments."""
        calls = [MadeCall(call.id or self.new_id(), call.name, call.text) for call in message.calls]
        if message.ending is Ending.LENGTH and calls:
            last = calls[-1]
            calls[-1] = MadeCall(last.id, last.name, last.args[: max(1, len(last.args) // 2)], whole=False)
        return calls

    def new_id(self, prefix: str | None = None) -> str:
        return f"{self.id_prefix if prefix is None else prefix}{next(_NUMBERS):04d}"

    def bearer(self, request: Request) -> str | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" and token.strip() else None

    def right_key(self, key: str) -> bool:
        return self._key is None or key == self._key

    @abstractmethod
    def route(self, request: Request) -> None:
        """Refuse methods and paths that the service does not have."""

    @abstractmethod
    def authorize(self, request: Request) -> None:
        """Refuse a request without the key, where the service looks for it."""

    def normal(self, body: dict[str, Any]) -> dict[str, Any]:
        """The request in one spelling, for a service that takes more than one."""
        return body

    @abstractmethod
    def check(self, body: dict[str, Any], request: Request) -> None:
        """Refuse what the service would refuse."""

    @abstractmethod
    def hear(self, body: dict[str, Any]) -> Heard:
        """A request that passed `check`, as the model reads it."""

    @abstractmethod
    def frames(
        self, message: Message, calls: Sequence[MadeCall], body: dict[str, Any], request: Request
    ) -> Iterator[bytes]:
        """The events of an answer, up to its end; up to where it breaks off for `Ending.CUT`."""

    @abstractmethod
    def problem(self, refusal: Refusal) -> dict[str, Any]:
        """An error body."""

    @abstractmethod
    def rate_limit(self, seconds: int | None) -> Answer:
        """429."""

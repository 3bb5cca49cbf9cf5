"""Offline as a provider like any other: items in, events of one step out."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import orjson

from ambidex.config import Config, keys
from ambidex.contracts.call import ToolCall
from ambidex.errors import MissingExtra
from ambidex.offline.dialogue import Dialogue, Reply
from ambidex.offline.meaning import Meaning, VectorMeaning, WordMeaning
from ambidex.offline.remembering import Remembering
from ambidex.offline.router import Router
from ambidex.offline.talk import LABEL
from ambidex.transports.base import Ask, CallDelta, CallStarted, Facts, Finish, StepEnded, StepEvent, TextDelta
from ambidex.transports.items import Asked, Item, StepItem

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Embedder
    from ambidex.registry.registry import Registry

NAME = "offline"
_PIECE = re.compile(r"\S+\s*|\s+")
_WORDS_IN_A_PIECE = 6


class OfflineProvider:
    """The model that needs no key. Phrases are learnt, and an embedder loaded, with the first step."""

    def __init__(
        self,
        registry: Registry,
        mode: str = "text",
        embedder: Embedder | None = None,
        config: Config | None = None,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`embedder`: None takes the one that `kb.embedder` names; where that is none, words alone decide."""
        _check_extra()
        self._registry = registry
        self._mode = mode
        self._config = config or Config.load()
        self._given = embedder
        self._now = now
        self._zone = ZoneInfo(self._config[keys.TIMEZONE])
        self._dialogue: Dialogue | None = None
        self._opening = asyncio.Lock()

    @property
    def facts(self) -> Facts:
        # The form of MCP is the authored schema, so every tool has it, whatever the project's targets are.
        return Facts(NAME, "mcp", parallel_calls=False, view="compact")

    @property
    def model(self) -> str:
        return NAME

    async def step(self, ask: Ask) -> AsyncIterator[StepEvent]:
        dialogue = await self._opened()
        declared = [_name(tool) for tool in ask.tools]
        now = self._now().astimezone(self._zone)
        # Vectors and dates take milliseconds: other conversations go on meanwhile.
        reply = await asyncio.to_thread(dialogue.reply, ask.items, declared, now)
        for event in _events(_labelled(reply, ask.items)):
            yield event

    async def close(self) -> None:
        """Nothing is held open."""

    async def _opened(self) -> Dialogue:
        async with self._opening:
            if self._dialogue is None:
                self._dialogue = await asyncio.to_thread(self._made)
            return self._dialogue

    def _made(self) -> Dialogue:
        chosen = self._given or _chosen(self._config)
        embedder = None if chosen is None else Remembering(chosen)

        def meaning(phrases: Sequence[str]) -> Meaning:
            return WordMeaning(phrases) if embedder is None else VectorMeaning(phrases, embedder)

        router = Router(self._registry, self._mode, embedder)
        return Dialogue(self._registry, self._mode, router, meaning, self._config[keys.REGION])


def _check_extra() -> None:
    """At the start, and not in the middle of somebody's question."""
    if not all(find_spec(package) for package in ("dateparser", "email_validator", "phonenumbers")):
        raise MissingExtra("the offline provider", "offline")


def _chosen(config: Config) -> Embedder | None:
    from ambidex.capabilities.kb.embedders.choose import choose_embedder

    return choose_embedder(config[keys.KB_EMBEDDER])


def _name(tool: dict[str, Any]) -> str:
    """Of a declaration, in the form of any provider."""
    return str(tool.get("name") or tool.get("function", {}).get("name", ""))


def _labelled(reply: Reply, items: Sequence[Item]) -> Reply:
    """The first thing it says in a conversation tells what it is."""
    spoke = any(isinstance(item, StepItem) and item.provider == NAME and item.text for item in items)
    return reply if spoke or not reply.text else Reply(f"{LABEL}\n\n{reply.text}", reply.calls, reply.parts)


def _new_id() -> str:
    """Random rather than counted: a conversation may be trimmed, taken back or gone on with by another worker."""
    return f"call_{secrets.token_hex(12)}"


def _events(reply: Reply) -> Iterator[StepEvent]:
    for piece in _pieces(reply.text):
        yield TextDelta(piece)
    asked = tuple(Asked(id=_new_id(), name=name, args=orjson.dumps(args).decode()) for name, args in reply.calls)
    for call in asked:
        yield CallStarted(call.id, call.name)
        yield CallDelta(call.id, call.args)
    item = StepItem(provider=NAME, model=NAME, text=reply.text, calls=asked, parts=reply.parts)
    calls = tuple(ToolCall(id=call.id, name=call.name, args=call.args) for call in asked)
    yield StepEnded(Finish.CALLS if calls else Finish.STOP, item, calls)


def _pieces(text: str) -> Iterator[str]:
    """A few words at a time, as a model's text would come; together they are the text."""
    words = _PIECE.findall(text)
    for start in range(0, len(words), _WORDS_IN_A_PIECE):
        yield "".join(words[start : start + _WORDS_IN_A_PIECE])

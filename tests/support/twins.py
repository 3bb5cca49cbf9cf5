"""The same script played twice, with the express lane and without, and everything that can be seen of it afterwards.

What is random comes out of a counter, so that the two differ in nothing but the way their calls take; what depends on
how long something really took is masked.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
from tests.support.apps import ANN, BOB

import ambidex
from ambidex import Orchestrator, Refused, ToolCall
from ambidex.audit.chain import WAITING, settle
from ambidex.session.session import Session
from ambidex.stores.base import Space, Tx
from ambidex.stores.memory import MemoryStore
from ambidex.testing import FakeClock

CONFIG = {
    "retention.reads": 3,
    "limits.text.retrieval_ms": 60_000,
    "limits.voice.retrieval_ms": 60_000,
    "limits.voice.turn_ms": 0,
    "limits.text.refusals": 4,
    "limits.text.retrieval": 6,
    "limits.text.total": 12,
}
"""Few answers are kept and few refusals borne, so that scripts stay short; no budget of time is passed because the
machine was busy."""
CONVERSATION = "conversation"
_MEASURED = {"duration", "latency_ms", "latencyMs", "sumMs", "buckets", "prev", "hash"}
_TOOK = re.compile(r"took \d+")


class CountingStore(MemoryStore):
    """One that counts its transactions: a call on the lane makes none."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.transactions = 0

    def run(self, operation: Callable[[Tx], Any], *, lasting: bool = True) -> Any:
        self.transactions += 1
        return super().run(operation, lasting=lasting)


@dataclass
class Play:
    """One run of a script: who is on the stage, and what was seen."""

    app: Orchestrator
    store: CountingStore
    clock: FakeClock
    artifacts: tuple[Path, Path]
    """The registry that is used first, and another version of it."""
    sessions: list[Session] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    seen: list[Any] = field(default_factory=list)
    quick: int = 0
    """Calls that were answered without any transaction."""

    @property
    def session(self) -> Session:
        """The one that was opened last."""
        return self.sessions[-1]

    async def act(self, step: tuple[Any, ...]) -> None:
        name, *rest = step
        try:
            self.seen.append((name, await getattr(self, name)(*rest)))
        except Refused as refused:
            self.seen.append((name, str(refused.error.type)))

    # What a script may say

    async def call(self, tool: Any, args: Any, id: Any = None, provider: str = "api", who: int = -1) -> Any:
        session = self.sessions[who % len(self.sessions)]
        before = self.store.transactions
        envelope = await session.answer_json(tool, args, id=id, provider=provider)
        self.quick += self.store.transactions == before
        return _told(envelope), session.turn, session.state.snapshot()

    async def ask(self, tool: Any, args: Any, id: Any = None) -> Any:
        return await self.session.answer([ToolCall(name=tool, args=args, id=id)])

    async def message(self, calls: Sequence[tuple[Any, ...]]) -> Any:
        return await self.session.answer([ToolCall(name=tool, args=args, id=id) for tool, args, id in calls])

    async def together(self, calls: Sequence[tuple[Any, ...]]) -> Any:
        session = self.session
        return list(map(_told, await asyncio.gather(*(session.answer_json(*args, id=id) for *args, id in calls))))

    async def turn(self, who: int = -1) -> Any:
        return await self.sessions[who % len(self.sessions)].begin_turn("go on")

    async def open(self, mode: str) -> None:
        self._enter(await self.app.open(mode=mode, user=ANN, conversation=CONVERSATION))

    async def other(self) -> None:
        self._enter(await self.app.open(mode="text", user=BOB, conversation=CONVERSATION))

    async def resume(self) -> None:
        self._enter(await self.app.open(mode=self.session.mode, user=self.session.user, resume=self.tokens[-1]))

    async def attach(self) -> None:
        self._enter(await self.app.attach(self.session.id, user=self.session.user))

    async def cancel(self, id: str) -> None:
        await self.session.cancel([id])

    async def block(self) -> None:
        await self.app.blocks.add(self.session.user, 60, incident="test")

    async def lift(self) -> Any:
        return await self.app.blocks.lift(self.session.user)

    async def explain(self, tool: Any, args: Any, id: Any = None) -> Any:
        return await self.session.explain(ToolCall(name=tool, args=args, id=id))

    async def approve(self) -> Any:
        return [await self.session.approve(each.token) for each in await self.session.confirmations()]

    async def reject(self) -> Any:
        return [await self.session.reject(each.token) for each in await self.session.confirmations()]

    async def close(self) -> None:
        await self.session.close()

    async def pass_time(self, seconds: float) -> None:
        self.clock.advance(seconds)

    async def prune(self) -> int:
        return await self.app.prune()

    async def use(self, which: int) -> None:
        """Another registry, or the same version loaded anew."""
        self.app.use(ambidex.load(self.artifacts[which]))

    async def metrics(self) -> Any:
        return [registry.metrics() for registry in self.app._shared.registries.values()]

    async def settle(self) -> None:
        self.store.run(settle)

    async def rows(self) -> Any:
        """Everything in the store, once the audit's events are chained."""
        self.store.run(settle)
        names = sorted(name for name, shelf in self.store._shelves.items() if shelf)
        assert WAITING.name not in names
        return {name: self.store.run(lambda tx, name=name: tx.scan(Space(name, bytes))) for name in names}  # type: ignore[misc]

    def _enter(self, session: Session) -> None:
        self.sessions.append(session)
        self.tokens.append(session.resume_token or (self.tokens[-1] if self.tokens else ""))


async def play(artifacts: tuple[Path, Path], script: Sequence[tuple[Any, ...]], *, lane: bool, **config: Any) -> Play:
    """The script in an app of its own; at its end all rows and all counts are looked at."""
    numbers, clock = count(), FakeClock()
    random.seed(1)

    def name(_: int | None = None) -> str:
        return f"random{next(numbers):08d}"

    with patch.object(secrets, "token_urlsafe", name), patch.object(secrets, "token_hex", name):
        store = CountingStore(clock)
        settings = {**CONFIG, **config}
        async with Orchestrator(
            ambidex.load(artifacts[0]), store=store, config=settings, capabilities={"time": clock}
        ) as app:
            if not lane:
                app._shared.express = None
            played = Play(app, store, clock, artifacts)
            for step in [*script, ("metrics",), ("rows",)]:
                await played.act(step)
    played.seen = [_masked(seen) for seen in played.seen]
    return played


def _told(envelope: bytes) -> Any:
    """The envelope as an object, known to be the bytes that the struct gives: same members, same order."""
    decoded = json.loads(envelope)
    assert msgspec.json.encode(msgspec.json.decode(envelope, type=ambidex.ToolResponse)) == envelope
    return list(decoded), list(decoded["meta"]), decoded


def _masked(value: Any) -> Any:
    if isinstance(value, (msgspec.Struct, ambidex.ToolResponse)):
        value = {name: getattr(value, name) for name in value.__struct_fields__}
    if isinstance(value, bytes):
        return _masked(json.loads(value)) if value.startswith(b"{") else value
    if isinstance(value, dict):
        return {key: "masked" if key in _MEASURED else _masked(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(item) for item in value]
    return _TOOK.sub("took", value) if isinstance(value, str) else value

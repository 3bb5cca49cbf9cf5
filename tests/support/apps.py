"""Orchestrators for tests: tools written on the spot, built and loaded for real."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.folders import write_tool

import ambidex
from ambidex import Orchestrator, Registry, ToolCall, ToolResponse, User
from ambidex.session.session import Session
from ambidex.stores.clock import Clock
from ambidex.testing import MemoryTransport

ANN = User("ann", scopes={"calendar"}, namespaces=("studio",))
BOB = User("bob")

COUNTING = """\
from pathlib import Path
from ambidex import ok

async def execute(args, context):
    with Path({path!r}).open("a") as effects:
        effects.write(context.idempotency_key + "\\n")
    return ok({{"done": args["name"]}})
"""
"""A handler whose effects can be counted: a line in a file for each run. It cannot suspend."""


@dataclass
class Workshop:
    """A folder for tools, an artifact, and files in which effects are counted."""

    root: Path

    def tool(self, name: str, *, handler: str | None = None, **fields: Any) -> Workshop:
        """A tool with one string parameter `name`; without a handler, one that counts its runs (see `runs`)."""
        code = handler if handler is not None else COUNTING.format(path=str(self.root / f"{name}.effects"))
        write_tool(self.root / "tools", name, handler=code, **fields)
        return self

    def reading(self, name: str = "look", **fields: Any) -> Workshop:
        return self.tool(name, **{"category": "retrieval", "sideEffects": "read_only", **fields})

    def writing(self, name: str = "pay", **fields: Any) -> Workshop:
        """A write without confirmation whose far side does nothing about repeats."""
        return self.tool(name, **{"category": "action", "sideEffects": "writes", "idempotent": False, **fields})

    def gated(self, name: str = "send", **fields: Any) -> Workshop:
        return self.writing(name, requiresConfirmation=True, **fields)

    def build(self) -> Registry:
        ambidex.build(self.root / "tools", self.artifact)
        return ambidex.load(self.artifact)

    @property
    def artifact(self) -> Path:
        return self.root / "tool_registry.json"

    def runs(self, name: str) -> list[str]:
        """One idempotency key for each time the counting handler of a tool ran."""
        path = self.root / f"{name}.effects"
        return path.read_text().splitlines() if path.exists() else []


@asynccontextmanager
async def running(
    registry: Registry, *, store: Any = "memory:", clock: Clock | None = None, **options: Any
) -> AsyncIterator[Orchestrator]:
    options.setdefault("config", {})
    async with Orchestrator(registry, store=store, clock=clock, **options) as app:
        yield app


@asynccontextmanager
async def talking(
    registry: Registry, *, mode: str = "text", user: User = ANN, said: str | None = "please", **options: Any
) -> AsyncIterator[tuple[Orchestrator, Session, MemoryTransport]]:
    """An app, a session in its first turn, and the transport between them."""
    async with running(registry, **options) as app:
        session = await app.open(mode=mode, user=user)
        transport = MemoryTransport(session)
        if said is not None:
            await session.begin_turn(said)
        yield app, session, transport


def call(name: str, args: Mapping[str, Any] | str | bytes | None = None, id: str | None = None) -> ToolCall:
    return ToolCall(name=name, args=args if args is not None else {"name": "x"}, id=id)


async def one(session: Session, name: str, args: Any = None, id: str | None = None) -> ToolResponse:
    [answer] = await session.answer([call(name, args, id)])
    return answer


def error_of(response: ToolResponse) -> str:
    """The error's type, or "ok"."""
    return "ok" if response.error is None else str(response.error.type)

"""A server on a loopback port, run as `ambidex serve` runs it, and what a client needs to speak to it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2 as httpx
import orjson
from tests.server.strict_client import StrictClient
from tests.support.apps import Workshop

from ambidex.config import Config
from ambidex.server.app import create_app
from ambidex.server.guard import Guard
from ambidex.server.run import bound_socket, server_for
from ambidex.server.state import State
from ambidex.stores.open import open_store
from ambidex.transports.base import TextProvider

_numbers = itertools.count(1)


@dataclass
class Site:
    url: str
    client: httpx.AsyncClient
    state: State
    chats: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    async def say(self, text: str, *, chat: str = "chat-1", **more: Any) -> Told:
        """Post one message of the user and read the whole answer."""
        return await self.post(saying(text, chat=chat, **more), approvals=more.get("approvals", True))

    async def post(self, body: Mapping[str, Any], *, approvals: bool = True, **options: Any) -> Told:
        answer = await self.client.post("/api/chat", json=body, **options)
        return told(answer, approvals=approvals)

    async def decide(self, told: Told, approved: bool, *, chat: str = "chat-1", call: str | None = None) -> Told:
        """Answer the request of the last message as `useChat` does."""
        return await self.post(deciding(told, approved, chat=chat, call=call))


@dataclass
class Told:
    """An answer, read by the strictest client there is."""

    status: int
    body: str
    chunks: list[dict[str, Any]]
    client: StrictClient

    @property
    def text(self) -> str:
        return self.client.text

    @property
    def message(self) -> str:
        return str(self.chunks[0]["messageId"])

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [chunk for chunk in self.chunks if chunk["type"] == kind]


def told(answer: httpx.Response, *, approvals: bool = True, strangers: bool = True) -> Told:
    client = StrictClient(approvals=approvals, strangers=strangers)
    if answer.status_code != 200 or not answer.headers["content-type"].startswith("text/event-stream"):
        return Told(answer.status_code, answer.text, [], client)
    frames = [part + b"\n\n" for part in answer.content.split(b"\n\n") if part]
    assert frames[-1] == b"data: [DONE]\n\n"
    return Told(200, answer.text, [client.read(part) for part in frames[:-1] if not part.startswith(b":")], client)


def saying(text: str, *, chat: str = "chat-1", id: str | None = None, **more: Any) -> dict[str, Any]:
    message = {"id": id or f"u{next(_numbers)}", "role": "user", "parts": [{"type": "text", "text": text}]}
    return {"id": chat, "trigger": "submit-message", "messages": [message], **more}


def deciding(
    told: Told, approved: bool, *, chat: str = "chat-1", call: str | None = None, token: str | None = None
) -> dict[str, Any]:
    parts = [
        {
            "type": f"tool-{told.client.parts[chunk['toolCallId']].name}",
            "toolCallId": chunk["toolCallId"],
            "state": "approval-responded",
            "input": {"name": "something else"},
            "approval": {"id": token or chunk["approvalId"], "approved": approved},
        }
        for chunk in told.of("tool-approval-request")
        if call in (None, chunk["toolCallId"])
    ]
    message = {"id": told.message, "role": "assistant", "parts": parts}
    return {"id": chat, "trigger": "submit-message", "messageId": told.message, "messages": [message]}


def configured(root: Path, **overrides: Any) -> Config:
    """Prompts of two lines, a store in memory, no wait between inputs."""
    prompts = root / "prompts"
    prompts.mkdir(exist_ok=True)
    for name in ("core.md", "text-behavior.md", "voice-behavior.md"):
        (prompts / name).write_text("# Title\n\nBe helpful.\n")
    own = {"prompts.directory": prompts, "kb.path": root / "kb.sqlite3", "kb.sample": ""}
    given = {**own, "server.turn_gap_ms": 0, "grace_seconds": 2, **overrides}
    return Config.load(root / "ambidex.toml" if (root / "ambidex.toml").exists() else None, environ={}, overrides=given)


@asynccontextmanager
async def served(
    workshop: Workshop, provider: TextProvider, *, store: Any = "memory:", **overrides: Any
) -> AsyncIterator[Site]:
    """A running server over these tools and this model."""
    config = configured(workshop.root, **overrides)
    kept = open_store(store) if isinstance(store, str) else store
    app = create_app(config, registry=workshop.build(), provider=provider, store=kept)
    assert isinstance(app, Guard)
    socket = bound_socket("127.0.0.1", 0)
    server = server_for(app, config)
    task = asyncio.ensure_future(server._serve(sockets=[socket]))
    url = f"http://127.0.0.1:{socket.getsockname()[1]}"
    try:
        async with httpx.AsyncClient(base_url=url, timeout=20) as client:
            async with asyncio.timeout(10):
                while not server.started and not task.done():  # noqa: ASYNC110 - it says so by a flag only
                    await asyncio.sleep(0.002)
            yield Site(url, client, app._state())
    finally:
        server.should_exit = True
        await task


def json_of(answer: httpx.Response) -> Any:
    return orjson.loads(answer.content)

"""As much of HTTP/1.1 as a stand-in needs: requests with a length, answers whole or in chunks, on the loopback address.

Written on asyncio alone, because a stand-in must do what a good server does not: send a stream in pieces that end in
the middle of a character, and hang up without an end.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

LARGEST_BODY = 32 * 1024 * 1024


class HungUp(Exception):
    """Raised by a stream that wants the connection closed before its end."""


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes | AsyncIterator[bytes]
    """Bytes, or pieces that are sent as they come."""
    headers: Mapping[str, str] = field(default_factory=dict)


Handler: TypeAlias = Callable[[Request], Awaitable[Answer]]


def json_answer(status: int, value: Any, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(status, json.dumps(value).encode(), {"content-type": "application/json", **(headers or {})})


class LoopbackServer:
    """Serves one handler on a free port of 127.0.0.1 until it is closed; a connection serves many requests."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        if self._server is None:
            raise RuntimeError("the server was not started: use it in `async with`")
        port = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=64 * 1024)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.ensure_future(self._converse(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await read_request(reader)) is not None:
                await write_answer(writer, await self._handler(request))
        except (HungUp, ConnectionError, asyncio.IncompleteReadError):
            pass  # This end hung up on purpose, or the other one did: either way the conversation is over.
        finally:
            writer.close()


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """The next request of a connection, or None when the client has closed it."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
    }
    length = int(headers.get("content-length", "0"))
    if length > LARGEST_BODY:
        raise HungUp
    parts = urlsplit(target)
    return Request(method, parts.path, parse_qs(parts.query), headers, await reader.readexactly(length))


async def write_answer(writer: asyncio.StreamWriter, answer: Answer) -> None:
    if isinstance(answer.body, bytes):
        writer.write(_head(answer, {"content-length": str(len(answer.body))}) + answer.body)
        await writer.drain()
        return
    writer.write(_head(answer, {"transfer-encoding": "chunked"}))
    async for piece in answer.body:
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _head(answer: Answer, framing: Mapping[str, str]) -> bytes:
    try:
        reason = HTTPStatus(answer.status).phrase
    except ValueError:
        reason = "Unknown"  # 529 is a status of Anthropic's own.
    lines = [f"{name}: {value}" for name, value in {**answer.headers, **framing}.items()]
    return "\r\n".join([f"HTTP/1.1 {answer.status} {reason}", *lines, "", ""]).encode("latin-1")

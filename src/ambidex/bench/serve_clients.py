"""The clients of `ambidex bench serve`, in a process of their own: bare sockets, so that the server is measured.

Run as a module it reads an order from stdin and writes a sample to stdout.
"""

from __future__ import annotations

import asyncio
import secrets
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

import msgspec
import orjson

from ambidex.bench.serve_http import Connection
from ambidex.errors import AmbidexError

QUESTION = "who founded the studio?"
"""A phrase of `kb_search`, so that each turn has one call."""
What: TypeAlias = Literal["turn", "health"]
Ask: TypeAlias = Callable[[Connection], Awaitable[None]]


class Order(msgspec.Struct, frozen=True):
    """Clients that ask one thing after another, for so many seconds or until so many were asked by all of them."""

    port: int
    what: What
    clients: int
    seconds: float = 0
    turns: int = 0
    turns_in_a_conversation: int = 5


class Sample(msgspec.Struct, frozen=True):
    seconds: list[float]
    """From the first byte sent to the last one received, each time."""
    elapsed: float


def run(order: Order) -> Sample:
    ended = subprocess.run(
        [sys.executable, "-m", "ambidex.bench.serve_clients"],
        input=msgspec.json.encode(order),
        capture_output=True,
        check=False,
    )
    if ended.returncode != 0:
        raise AmbidexError(f"the clients failed: {ended.stderr.decode(errors='replace').strip()[-500:]}")
    return msgspec.json.decode(ended.stdout, type=Sample)


async def _sample(order: Order) -> Sample:
    connections = [await Connection.open(order.port) for _ in range(order.clients)]
    asks = [_Chat(order.turns_in_a_conversation).turn if order.what == "turn" else _health for _ in connections]
    if order.seconds:  # so that no first time is measured
        await asyncio.gather(*(ask(connection) for ask, connection in zip(asks, connections, strict=True)))
    took: list[float] = []
    begin = time.perf_counter()
    goes_on = _until(begin + order.seconds) if order.seconds else _so_often(order.turns)
    pairs = zip(asks, connections, strict=True)
    await asyncio.gather(*(_ask_on(ask, connection, goes_on, took) for ask, connection in pairs))
    elapsed = time.perf_counter() - begin
    for connection in connections:
        await connection.close()
    return Sample(took, elapsed)


async def _ask_on(ask: Ask, connection: Connection, goes_on: Callable[[], bool], took: list[float]) -> None:
    while goes_on():
        start = time.perf_counter()
        await ask(connection)
        took.append(time.perf_counter() - start)


def _until(end: float) -> Callable[[], bool]:
    return lambda: time.perf_counter() < end


def _so_often(times: int) -> Callable[[], bool]:
    left = iter(range(times))
    return lambda: next(left, None) is not None


async def _health(connection: Connection) -> None:
    await connection.ask("GET", "/healthz")


class _Chat:
    """What one client says: the same question, in one conversation after another."""

    def __init__(self, turns_in_a_conversation: int) -> None:
        self._most = turns_in_a_conversation
        self._turns = 0
        self._id = ""

    async def turn(self, connection: Connection) -> None:
        if self._turns % self._most == 0:
            self._id = f"bench-{secrets.token_hex(8)}"
        self._turns += 1
        message = {"id": f"u{self._turns}", "role": "user", "parts": [{"type": "text", "text": QUESTION}]}
        body = orjson.dumps({"id": self._id, "trigger": "submit-message", "messages": [message]})
        answer = await connection.ask("POST", "/api/chat", body)
        if answer.count(b'"type":"tool-output-available"') != 1 or not answer.endswith(b"data: [DONE]\n\n"):
            raise AmbidexError(f"not a turn with one call: {answer[-300:].decode(errors='replace')}")


if __name__ == "__main__":
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    sys.stdout.buffer.write(msgspec.json.encode(asyncio.run(_sample(asked))))

"""The one way to fetch an address that a model or some data supplied: it can only lead to public hosts.

A name is resolved once for each hop, all its addresses are looked at, and the connection goes to the very address that
was looked at: a name that answers differently the second time gains nothing. Size and time are bounded.
"""

from __future__ import annotations

import asyncio
import io
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from ambidex.capabilities.addresses import Address, is_public
from ambidex.capabilities.links import PORTS, safe_link
from ambidex.contracts.faults import ErrorType
from ambidex.errors import ToolError

_HEADERS = 64 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})

Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]
Reachable = Callable[[Address, int], bool]


@dataclass(frozen=True, slots=True)
class Fetched:
    url: str
    """Where it was found, after redirects."""
    status: int
    content_type: str
    body: bytes


async def resolve(host: str, port: int) -> Sequence[Address]:
    """By the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ip_address(where[0]) for *_, where in found]


def public_web(address: Address, port: int) -> bool:
    return port in PORTS.values() and is_public(address)


class Fetcher:
    """`http` permits unencrypted hops; tests with a host of their own replace `resolve` and `reachable`."""

    def __init__(
        self,
        *,
        http: bool = False,
        most_bytes: int = 1024 * 1024,
        seconds: float = 10.0,
        redirects: int = 3,
        resolve: Resolve = resolve,
        reachable: Reachable = public_web,
    ) -> None:
        self._http = http
        self._most = most_bytes
        self._seconds = seconds
        self._redirects = redirects
        self._resolve = resolve
        self._reachable = reachable

    async def get(self, url: str) -> Fetched:
        """Raises `ToolError`: PERMANENT for what may not be fetched, TRANSIENT for what did not come through."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._follow(url)
        except TimeoutError:
            raise _failed(f"the page took longer than {self._seconds:g} s") from None
        except (OSError, HTTPException, asyncio.IncompleteReadError):
            raise _failed("the page could not be fetched") from None

    async def _follow(self, url: str) -> Fetched:
        for _ in range(self._redirects + 1):
            parts = self._checked(url)
            response, body = await self._hop(parts)
            target = response.getheader("location")
            if response.status not in _REDIRECTS or target is None:
                return Fetched(url, response.status, response.getheader("content-type") or "", body)
            url = urljoin(url, target)
        raise refused(f"the page redirects more than {self._redirects} times")

    def _checked(self, url: str) -> SplitResult:
        link = safe_link(url, http=self._http)
        if link is None:
            raise refused("this address may not be fetched")
        return urlsplit(link.url)

    async def _hop(self, parts: SplitResult) -> tuple[HTTPResponse, bytes]:
        host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
        addresses = await self._resolve(host, port)
        # One bad address among good ones is a trap, not an accident.
        if not addresses or not all(self._reachable(address, port) for address in addresses):
            raise refused("this address leads to a host that may not be reached")
        context = ssl.create_default_context() if parts.scheme == "https" else None
        reader, writer = await asyncio.open_connection(
            str(addresses[0]), port, ssl=context, server_hostname=host if context else None
        )
        try:
            writer.write(_request(parts))
            return _parsed(await self._read(reader), self._most)
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        """Everything until the far side closes, as it was asked to."""
        raw = bytearray()
        while chunk := await reader.read(_HEADERS):
            raw += chunk
            if len(raw) > 2 * self._most + _HEADERS:  # the frames of a chunked body take room as well
                raise _too_large(self._most)
        return bytes(raw)


def _request(parts: SplitResult) -> bytes:
    target = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
    if not target.startswith("/"):
        target = f"/{target}"
    lines = [
        f"GET {target} HTTP/1.1",
        f"Host: {parts.netloc}",
        "Accept-Encoding: identity",
        "User-Agent: ambidex",
        "Connection: close",
    ]
    return "\r\n".join([*lines, "", ""]).encode("ascii")


class _Socket:
    """As much of a socket as a parser of responses asks for."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def makefile(self, *_: Any, **__: Any) -> io.BytesIO:
        return io.BytesIO(self._raw)


def _parsed(raw: bytes, most: int) -> tuple[HTTPResponse, bytes]:
    response = HTTPResponse(_Socket(raw))  # type: ignore[arg-type]
    response.begin()
    body = response.read()
    if len(body) > most:
        raise _too_large(most)
    return response, body


def refused(message: str) -> ToolError:
    return ToolError(ErrorType.PERMANENT, message)


def _too_large(most: int) -> ToolError:
    return refused(f"the page has more than {most} bytes")


def _failed(message: str) -> ToolError:
    return ToolError(ErrorType.TRANSIENT, message, retryable=True)

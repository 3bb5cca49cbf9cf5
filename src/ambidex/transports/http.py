"""One streamed request to a provider: JSON out, events back, and every failure a `ProviderFault`."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from ambidex.errors import MissingExtra
from ambidex.transports.faults import fault, fault_of_answer
from ambidex.transports.sse import BrokenStream, Event, read_events

if TYPE_CHECKING:
    import httpx2

_CONNECT_SECONDS = 10.0
_MOST_ERROR_BYTES = 64 << 10


class Wire:
    """The connections to one provider; kept between requests, so that a step does not begin with a handshake."""

    def __init__(self, provider: str, *, timeout_seconds: float = 60.0) -> None:
        """`timeout_seconds`: how long the provider may be silent."""
        self._provider = provider
        self._silence = timeout_seconds
        self._client: httpx2.AsyncClient | None = None

    async def events(self, url: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> AsyncIterator[Event]:
        """The events of the answer; raises `ProviderFault`."""
        client = self._connected(url)
        import httpx2

        sent = {"content-type": "application/json", "accept": "text/event-stream", **headers}
        try:
            async with client.stream("POST", url, headers=sent, content=msgspec.json.encode(body)) as answer:
                if answer.status_code != 200:
                    said = await _beginning(answer)
                    raise fault_of_answer(self._provider, answer.status_code, answer.headers, said)
                async for event in read_events(answer.aiter_bytes()):
                    yield event
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise fault(self._provider, "refused", detail=f"the address is no good: {error}") from error
        except httpx2.HTTPError as error:
            raise fault(self._provider, "network", detail=f"{type(error).__name__}: {error}") from error
        except BrokenStream as error:
            raise fault(self._provider, "protocol", detail=str(error)) from error

    def _connected(self, url: str) -> httpx2.AsyncClient:
        if self._client is None:
            self._client = _client(self._silence, encrypted=not url.lower().startswith("http:"))
        return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def _client(silence: float, *, encrypted: bool) -> httpx2.AsyncClient:
    try:
        import httpx2
    except ImportError:
        raise MissingExtra("talking to a model provider", "agents") from None
    timeout = httpx2.Timeout(silence, connect=_CONNECT_SECONDS)
    # Loading the authorities' certificates takes a while, and plain http has no use for them: there an empty set of
    # them, which trusts nobody. A redirect would carry the key to wherever it points.
    verify = True if encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx2.AsyncClient(timeout=timeout, verify=verify, follow_redirects=False)


async def _beginning(answer: httpx2.Response) -> bytes:
    """As much of an error's body as anybody would read."""
    import httpx2

    found = bytearray()
    with suppress(httpx2.HTTPError):
        async for chunk in answer.aiter_bytes():
            found += chunk
            if len(found) > _MOST_ERROR_BYTES:
                break
    return bytes(found)


def parsed(provider: str, event: Event) -> dict[str, Any]:
    """The JSON object of an event. Anything else breaks the step: what was lost may have been part of a call."""
    try:
        value = orjson.loads(event.data)
    except orjson.JSONDecodeError:
        raise fault(provider, "protocol", detail="an event is not JSON") from None
    if not isinstance(value, dict):
        raise fault(provider, "protocol", detail="an event is no JSON object")
    return value

"""As much HTTP/1.1 as a client of ours needs to measure: one request after another on one connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from ambidex.errors import AmbidexError


class Connection:
    """Kept open from one request to the next."""

    def __init__(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._host = f"127.0.0.1:{port}"
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> Connection:
        return cls(port, *await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, method: str, path: str, body: bytes = b"") -> bytes:
        """The whole body of the answer, whether it has a length or comes in chunks; anything but 200 raises."""
        lines = [f"{method} {path} HTTP/1.1", f"host: {self._host}"]
        if body:
            lines += ["content-type: application/json", f"content-length: {len(body)}"]
        self._writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        answer = await self._body(head)
        if not head.startswith(b"http/1.1 200 "):
            raise AmbidexError(f"{method} {path}: {head.splitlines()[0].decode()} {answer[:200].decode()}")
        return answer

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def _body(self, head: bytes) -> bytes:
        if b"\r\ntransfer-encoding: chunked\r\n" in head:
            return b"".join([chunk async for chunk in self._chunks()])
        _, _, rest = head.partition(b"\r\ncontent-length:")
        return await self._reader.readexactly(int(rest.split(b"\r\n", 1)[0] or 0))

    async def _chunks(self) -> AsyncIterator[bytes]:
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            yield (await self._reader.readexactly(size + 2))[:-2]
        await self._reader.readexactly(2)

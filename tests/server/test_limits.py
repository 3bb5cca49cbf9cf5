"""Sizes, times and rates: what is too large, too slow or too much harms nobody else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.server.scripted import Scripted
from tests.server.site import Site, saying, served
from tests.support.apps import Workshop
from tests.support.soak import soak

from ambidex.server import run
from ambidex.server.limits import Rates


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).reading("look")


async def connected(site: Site) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", int(site.url.rpartition(":")[2]))


@pytest.mark.threat("T03")
async def test_a_body_beyond_its_size_is_refused_whether_it_says_so_or_not(workshop: Workshop) -> None:
    model = Scripted()
    async with served(workshop, model, **{"server.body_bytes": 2048}) as site:

        async def endless() -> object:
            for _ in range(1000):
                yield b" " * 100

        declared = await site.client.post("/api/chat", content=b" " * 2049)
        undeclared = await site.client.post("/api/chat", content=endless())  # type: ignore[arg-type]
        fits = await site.client.post("/api/chat", json=saying("x" * 1500))
        decision = await site.client.post("/api/confirmations/r1/approve", content=b" " * 4097)
    assert (declared.status_code, undeclared.status_code, decision.status_code) == (413, 413, 413)
    assert fits.status_code == 200
    assert len(model.asks) == 1


@pytest.mark.threat("T03")
async def test_headers_without_an_end_close_the_connection(workshop: Workshop) -> None:
    async with served(workshop, Scripted()) as site:
        reader, writer = await connected(site)
        writer.write(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-long: " + b"x" * 100_000)
        answer = await reader.read()
        writer.close()
        assert answer == b"" or b" 400 " in answer.splitlines()[0]
        assert (await site.client.get("/healthz")).status_code == 200


@pytest.mark.threat("T04")
async def test_a_body_that_does_not_come_is_given_up(workshop: Workshop) -> None:
    async with served(workshop, Scripted(), **{"server.read_seconds": 1}) as site:
        reader, writer = await connected(site)
        writer.write(b"POST /api/chat HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{")
        assert b" 408 " in await reader.readline()
        writer.close()


@pytest.mark.threat("T04")
async def test_half_open_connections_are_closed_and_harm_nobody(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_FIRST_BYTES_SECONDS", 0.5)
    async with served(workshop, Scripted()) as site:
        idle = await asyncio.gather(*(connected(site) for _ in range(soak(50, 1000))))
        for _, writer in idle[::2]:
            writer.write(b"GET /healthz HTTP/1.1\r\nhost: local")
        assert (await site.client.get("/healthz")).status_code == 200
        ends = await asyncio.gather(*(reader.read() for reader, _ in idle))
        for _, writer in idle:
            writer.close()
    assert set(ends) == {b""}


@pytest.mark.threat("T04")
async def test_a_flood_of_one_user_is_turned_away(workshop: Workshop) -> None:
    async with served(workshop, Scripted(), **{"server.requests_per_minute": 40}) as site:
        statuses = [(await site.client.get("/api/tools")).status_code for _ in range(30)]
        assert (await site.client.get("/healthz")).status_code == 200
    assert statuses[0] == 200
    assert statuses[-1] == 429


def test_users_that_nobody_sees_again_are_forgotten() -> None:
    rates = Rates(60)
    for number in range(20_000):
        rates.take(f"user {number}")
    assert len(rates._buckets) <= 10_000

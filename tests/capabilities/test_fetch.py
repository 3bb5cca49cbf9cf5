"""The fetcher against real listeners on this machine, which it must not reach unless a test lets it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address

import pytest

from ambidex import ErrorType, ToolError
from ambidex.capabilities.addresses import Address
from ambidex.capabilities.fetch import Fetcher, resolve

LOOPBACK = ip_address("127.0.0.1")


@dataclass
class Listener:
    """Counts whoever comes, and sends what it was told to."""

    answer: Callable[[str], bytes]
    port: int = 0
    requests: list[str] = field(default_factory=list)
    hits: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.hits += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.requests.append(head)
            writer.write(self.answer(head.split()[1]))
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def listening(answer: Callable[[str], bytes], host: str = "127.0.0.1") -> AsyncIterator[Listener]:
    listener = Listener(answer)
    server = await asyncio.start_server(listener.serve, host, 0)
    listener.port = server.sockets[0].getsockname()[1]
    async with server:
        yield listener


def page(body: bytes = b"hello", status: str = "200 OK", *more: str) -> bytes:
    head = [f"HTTP/1.1 {status}", "Content-Type: text/plain", f"Content-Length: {len(body)}", *more, "", ""]
    return "\r\n".join(head).encode() + body


def redirect(target: str) -> bytes:
    return page(b"", "302 Found", f"Location: {target}")


def pointing_at(*addresses: Address) -> Callable[[str, int], asyncio.Future[Sequence[Address]]]:
    """A name server of our own: every name has these addresses."""

    def answer(host: str, port: int) -> asyncio.Future[Sequence[Address]]:
        future: asyncio.Future[Sequence[Address]] = asyncio.get_running_loop().create_future()
        future.set_result(addresses)
        return future

    return answer


def only_loopback(address: Address, port: int) -> bool:
    return address == LOOPBACK


def local(**options: object) -> Fetcher:
    """A fetcher for which this machine is the web."""
    chosen: dict[str, object] = {"http": True, "resolve": pointing_at(LOOPBACK), "reachable": only_loopback}
    return Fetcher(**{**chosen, **options})  # type: ignore[arg-type]


async def refusal_of(fetcher: Fetcher, url: str) -> ErrorType:
    with pytest.raises(ToolError) as caught:
        await fetcher.get(url)
    fault = caught.value.response.error
    assert fault is not None
    assert url not in fault.message
    return fault.type


@pytest.mark.threat("H06")
@pytest.mark.parametrize(
    "host",
    """127.0.0.1 localhost localhost. 127.1 2130706433 017700000001 0x7f000001 0x7f.0.0.1 0177.0.0.1 0 0.0.0.0
    [::1] [::] [::ffff:127.0.0.1] [0:0:0:0:0:ffff:7f00:1] [64:ff9b::7f00:1] user@127.0.0.1 example.org@127.0.0.1
    １２７.0.0.1 127。0。0。1""".split(),
)
async def test_no_spelling_of_this_machine_reaches_it(host: str) -> None:
    async with listening(lambda path: page()) as listener:
        assert await refusal_of(Fetcher(http=True), f"http://{host}:{listener.port}/") is ErrorType.PERMANENT
        # Without the narrow list of ports too: the address alone is enough to refuse.
        anywhere = Fetcher(http=True, reachable=lambda address, port: address.is_global)
        assert await refusal_of(anywhere, f"http://{host}:{listener.port}/") is ErrorType.PERMANENT
        assert listener.hits == 0


@pytest.mark.threat("H06")
@pytest.mark.parametrize("inward", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1"])
async def test_a_name_that_leads_inward_is_refused_even_among_public_addresses(inward: str) -> None:
    async with listening(lambda path: page()):
        for addresses in ([ip_address(inward)], [ip_address("93.184.216.34"), ip_address(inward)]):
            fetcher = Fetcher(http=True, resolve=pointing_at(*addresses))
            assert await refusal_of(fetcher, "http://innocent.example/") is ErrorType.PERMANENT


@pytest.mark.threat("H06")
async def test_a_redirect_inward_is_refused_before_anything_is_sent() -> None:
    async with listening(lambda path: page(b"secret")) as inner:
        answers = {"outside.example": LOOPBACK, "inside.example": ip_address("127.0.0.2")}

        async def names(host: str, port: int) -> Sequence[Address]:
            return [answers[host]]

        for target in (
            f"http://inside.example:{inner.port}/",
            f"http://127.0.0.1:{inner.port}/",
            f"//inside.example:{inner.port}/",
            "file:///etc/passwd",
        ):
            async with listening(lambda path, target=target: redirect(target)) as outer:  # type: ignore[misc]
                url = f"http://outside.example:{outer.port}/"
                assert await refusal_of(local(resolve=names), url) is ErrorType.PERMANENT
                assert outer.hits == 1
        assert inner.hits == 0


@pytest.mark.threat("H06")
async def test_a_name_is_asked_once_for_each_hop_so_it_cannot_change_its_mind() -> None:
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> Sequence[Address]:
        asked.append(host)
        return [LOOPBACK if len(asked) == 1 else ip_address("127.0.0.2")]

    async with listening(lambda path: page()) as listener:
        fetched = await local(resolve=rebinding).get(f"http://rebinds.example:{listener.port}/")
    assert fetched.body == b"hello"
    assert asked == ["rebinds.example"]


@pytest.mark.threat("H06")
async def test_plain_http_other_ports_and_downgrades_are_refused_by_default() -> None:
    async with listening(lambda path: page()) as listener:
        plain = Fetcher(resolve=pointing_at(LOOPBACK), reachable=only_loopback)
        assert await refusal_of(plain, f"http://page.example:{listener.port}/") is ErrorType.PERMANENT
        public = pointing_at(ip_address("93.184.216.34"))
        assert await refusal_of(Fetcher(http=True, resolve=public), "http://page.example:22/") is ErrorType.PERMANENT
        assert listener.hits == 0


async def test_a_page_is_fetched_with_its_path_query_and_host() -> None:
    async with listening(lambda path: page(b"hello", "200 OK")) as listener:
        fetched = await local().get(f"http://page.example:{listener.port}/a/b?c=d#e")
    assert (fetched.status, fetched.content_type, fetched.body) == (200, "text/plain", b"hello")
    assert listener.requests[0].startswith("GET /a/b?c=d HTTP/1.1\r\n")
    assert f"Host: page.example:{listener.port}\r\n" in listener.requests[0]


async def test_a_chunked_page_is_put_together() -> None:
    body = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    async with listening(lambda path: body) as listener:
        fetched = await local().get(f"http://page.example:{listener.port}")
    assert fetched.body == b"abcde"


@pytest.mark.threat("H06")
@pytest.mark.parametrize("hops", [3, 4])
async def test_three_redirects_are_followed_and_a_fourth_is_not(hops: int) -> None:
    def answer(path: str) -> bytes:
        step = int(path[1:])
        return page(b"there") if step == hops else redirect(f"/{step + 1}")

    async with listening(answer) as listener:
        url = f"http://page.example:{listener.port}/0"
        if hops == 3:
            assert (await local().get(url)).body == b"there"
        else:
            assert await refusal_of(local(), url) is ErrorType.PERMANENT
    assert listener.hits == 4


@pytest.mark.threat("H06")
async def test_a_page_beyond_the_limit_is_refused_however_long_it_goes_on() -> None:
    for size, fits in ((1000, True), (1001, False), (10_000_000, False)):
        async with listening(lambda path, size=size: page(b"x" * size)) as listener:  # type: ignore[misc]
            url = f"http://page.example:{listener.port}/"
            if fits:
                assert len((await local(most_bytes=1000).get(url)).body) == size
            else:
                assert await refusal_of(local(most_bytes=1000), url) is ErrorType.PERMANENT


@pytest.mark.threat("H06")
async def test_a_host_that_never_answers_costs_only_the_time_allowed() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert await refusal_of(local(seconds=0.05), f"http://page.example:{port}/") is ErrorType.TRANSIENT


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1", b"not http at all\r\n\r\n", page()[:-2]])
async def test_an_answer_that_is_none_is_a_failure_worth_another_try(answer: bytes) -> None:
    async with listening(lambda path: answer) as listener:
        url = f"http://page.example:{listener.port}/"
        assert await refusal_of(local(), url) is ErrorType.TRANSIENT


async def test_the_systems_resolver_gives_addresses() -> None:
    assert LOOPBACK in await resolve("localhost", 80)

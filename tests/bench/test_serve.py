"""`ambidex bench serve` measures turns that really had a call, over HTTP, and says so as figures and as a table."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from ambidex.bench.serve import parse_clients
from ambidex.bench.serve_http import Connection
from ambidex.bench.serve_project import served
from ambidex.bench.serve_table import serve_table
from ambidex.cli.bench import command
from ambidex.errors import AmbidexError


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    """A small run, as the command prints it."""
    words = ["--clients", "1,2", "--seconds", "0.3", "--conversations", "3", "--embedder", "none"]
    ran = CliRunner().invoke(command, ["serve", *words, "--json"])
    assert ran.exit_code == 0, ran.output
    document: dict[str, Any] = json.loads(ran.stdout)
    return document


def test_every_number_of_clients_has_turns_beside_the_same_servers_health(result: dict[str, Any]) -> None:
    assert [row["clients"] for row in result["rows"]] == [1, 2]
    for row in result["rows"]:
        for what in ("turn", "health"):
            assert row[f"{what}s"] >= row["clients"]
            assert 0 < row[f"{what}P50Millis"] <= row[f"{what}P99Millis"]
            assert row[f"{what}sPerSecond"] > 0
        assert row["turnCpuMillis"] > row["healthCpuMillis"]
    assert (result["ok"], result["bench"], result["memory"]["conversations"]) == (True, "serve", 3)


def test_the_table_shows_the_figures_and_the_memory_below(result: dict[str, Any]) -> None:
    console = Console(width=160, record=True, file=StringIO())
    console.print(serve_table(result))
    text = console.export_text()
    assert f"{result['rows'][1]['turnP50Millis']:,.1f} ms" in text
    assert "each of 3 open conversations" in text


def test_memory_and_processor_time_that_a_system_does_not_tell_are_left_out(result: dict[str, Any]) -> None:
    silent = {"conversations": 3, "residentBytes": None, "bytesPerConversation": None}
    rows = [{**row, "turnCpuMillis": None} for row in result["rows"]]
    console = Console(width=160, record=True, file=StringIO())
    console.print(serve_table({**result, "rows": rows, "memory": silent}))
    assert "does not tell" in console.export_text()


def test_numbers_of_clients_are_read_as_people_write_them() -> None:
    assert parse_clients("1, 10,100") == (1, 10, 100)
    for wrong in ("many", "0", "1,,2"):
        ran = CliRunner().invoke(command, ["serve", "--clients", wrong])
        assert ran.exit_code == 2
        assert "1,10,100" in ran.output


def test_a_server_that_does_not_start_is_told_with_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(AmbidexError, match="no-such-embedder"), served(tmp_path, "no-such-embedder"):
        pass


@asynccontextmanager
async def answering(*answers: bytes) -> AsyncIterator[Connection]:
    """A connection to somebody who gives these answers, whatever is asked."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for bytes_ in answers:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(bytes_)
        await writer.drain()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        connection = await Connection.open(server.sockets[0].getsockname()[1])
        yield connection
        await connection.close()


async def test_answers_of_both_shapes_are_read_one_after_another_on_one_connection() -> None:
    with_length = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    in_chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwell\r\na\r\n, then\r\nso\r\n0\r\n\r\n"
    empty = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    async with answering(with_length, in_chunks, empty) as connection:
        assert await connection.ask("GET", "/") == b"hello"
        assert await connection.ask("GET", "/") == b"well, then\r\nso"
        assert await connection.ask("GET", "/") == b""


async def test_an_answer_that_is_a_refusal_is_never_counted() -> None:
    async with answering(b"HTTP/1.1 429 Too Many\r\nContent-Length: 4\r\n\r\nslow") as connection:
        with pytest.raises(AmbidexError, match="429 too many slow"):
            await connection.ask("POST", "/api/chat", b"{}")

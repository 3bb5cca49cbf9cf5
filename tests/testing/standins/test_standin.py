"""What all stand-ins share: what they keep, what they ask of a request before its body, and how they send."""

from __future__ import annotations

import asyncio
import json
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.testing.standins import (
    AnthropicStandin,
    Call,
    Calls,
    GeminiStandin,
    OpenAIChatStandin,
    OpenAIResponsesStandin,
    Say,
    Standin,
)
from ambidex.testing.standins.sse import event, in_pieces, parts_of

Post = tuple[type[Standin], str, int]
PLACES: list[Post] = [
    (OpenAIChatStandin, "/chat/completions", 401),
    (OpenAIResponsesStandin, "/responses", 401),
    (GeminiStandin, "/v1/models/m:streamGenerateContent?alt=sse", 403),
    (AnthropicStandin, "/v1/messages", 401),
]
KEY = {"authorization": "Bearer k", "x-goog-api-key": "k", "anthropic-version": "2026-10-21"}


def post(url: str, body: bytes, headers: dict[str, str]) -> tuple[int, Any]:
    """One request with nothing added by any client; the error body, parsed."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    connection = HTTPConnection(parts.hostname, parts.port)
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    connection.request("POST", target, body, {"content-type": "application/json", **headers})
    answer = connection.getresponse()
    told = answer.status, json.loads(answer.read())
    connection.close()
    return told


async def asked(it: Standin, path: str, body: bytes = b"{}", **headers: str) -> tuple[int, Any]:
    return await asyncio.to_thread(post, it.base_url + path, body, headers)


@pytest.mark.parametrize(("kind", "path", "status"), PLACES)
async def test_a_request_without_a_key_is_refused_before_its_body_is_read(
    kind: type[Standin], path: str, status: int
) -> None:
    async with kind([Say("never")]) as it:
        assert (await asked(it, path))[0] == status
        assert it.requests == []
        assert [refusal.status for refusal in it.refused] == [status]


@pytest.mark.parametrize(("kind", "path", "status"), PLACES)
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"{}", b"\xff"])
async def test_a_malformed_body_is_refused_with_an_error_of_the_services_own_shape(
    kind: type[Standin], path: str, status: int, body: bytes
) -> None:
    async with kind([Say("never")]) as it:
        told, error = await asked(it, path, body, **KEY)
    assert told == 400
    assert isinstance(error["error"]["message"], str)


async def test_anthropic_wants_its_version_named() -> None:
    async with AnthropicStandin([Say("never")]) as it:
        told, error = await asked(it, "/v1/messages", authorization="Bearer k")
        assert (told, error["error"]["type"]) == (400, "invalid_request_error")
        told, error = await asked(it, "/v1/messages", b"{}", **{"x-api-key": "k", "anthropic-version": "1999-01-01"})
        assert "not a valid version" in error["error"]["message"]


async def test_no_two_calls_share_an_id() -> None:
    first, second = OpenAIChatStandin([]), AnthropicStandin([])
    step = Calls(Call("look"), Call("look"))
    made = [call.id for it in (first, second, first) for call in it.made(step)]
    assert len(set(made)) == 6


async def test_the_address_is_known_once_it_listens() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        print(OpenAIChatStandin([]).base_url)


@settings(max_examples=100, deadline=None)
@given(text=st.text(), sizes=st.lists(st.integers(1, 40), min_size=1, max_size=5))
async def test_pieces_together_are_what_was_sent(text: str, sizes: list[int]) -> None:
    frames = [event({"text": text}), event("[DONE]", name="end", line_end="\r\n")]
    pieces = [piece async for piece in in_pieces(frames, sizes)]
    assert b"".join(pieces) == b"".join(frames)
    assert {len(piece) for piece in pieces} <= set(range(1, 41))
    assert "".join(parts_of(text)) == text

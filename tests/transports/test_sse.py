"""Events are the same however their bytes are cut."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.transports import sse
from ambidex.transports.sse import BrokenStream, Event, read_events

STREAM = (
    ': a comment\n\nevent: first\ndata: {"a": "é"}\n\ndata:no space\r\ndata: second line\r\n\r\n'
    "id: 7\nretry: 3\ndata: last\r\rdata: never ended"
).encode()
EVENTS = [Event("first", '{"a": "é"}'.encode()), Event("", b"no space\nsecond line"), Event("", b"last")]


async def events_of(pieces: Sequence[bytes]) -> list[Event]:
    async def chunks() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    return [event async for event in read_events(chunks())]


async def test_lines_of_every_kind_make_events_and_the_rest_is_left_alone() -> None:
    assert await events_of([STREAM]) == EVENTS


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, len(STREAM) - 1), max_size=40))
async def test_a_stream_cut_anywhere_gives_the_same_events(cuts: list[int]) -> None:
    places = [0, *sorted(set(cuts)), len(STREAM)]
    assert await events_of([STREAM[a:b] for a, b in pairwise(places)]) == EVENTS


async def test_a_stream_of_single_bytes_gives_the_same_events() -> None:
    assert await events_of([STREAM[n : n + 1] for n in range(len(STREAM))]) == EVENTS


@pytest.mark.parametrize("line", [b"data: " + b"x" * 64, b"x" * 80, b"data: xxxxxxxxxx\n" * 8])
async def test_an_event_without_end_breaks_the_stream_instead_of_filling_the_memory(
    line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "MOST_BYTES", 64)
    with pytest.raises(BrokenStream):
        await events_of([line[n : n + 8] for n in range(0, len(line), 8)])

"""ignore_user: the block stands before anyone hears of it, and the farewell is heard before the silence."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from tests.tools.calling import module_of

from ambidex.capabilities.blocks import CallBlocks, MemoryBlocks
from ambidex.contracts.faults import ErrorType
from ambidex.errors import ToolError

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
ARGS = {"duration_seconds": 60, "farewell_message": "Until later."}
USER = SimpleNamespace(id="u1", tenant="default")
execute = module_of("ignore-user").execute


class Client:
    """Notes, for every message, whether the block already stood when it came; may be gone."""

    def __init__(self, blocks: MemoryBlocks, *, gone: bool = False) -> None:
        self._blocks = blocks
        self._gone = gone
        self.blocked_on_message: list[bool] = []

    async def send(self, message: Mapping[str, Any]) -> None:
        self.blocked_on_message.append(await self._blocks.until(USER) is not None)
        if self._gone:
            raise ToolError(ErrorType.TRANSIENT, "the client is gone")


def context(blocks: MemoryBlocks, client: Client, *, incident: str = "call-1") -> Any:
    return SimpleNamespace(
        session={"isActive": True},
        blocks=CallBlocks(blocks, USER, incident),
        messaging=client,
        audit=SimpleNamespace(log=lambda event, **facts: None),
    )


@pytest.mark.threat("S07")
@pytest.mark.parametrize("gone", [False, True])
async def test_the_block_is_committed_before_the_client_hears_of_it_and_outlives_a_failed_delivery(gone: bool) -> None:
    blocks = MemoryBlocks(lambda: NOW)
    client = Client(blocks, gone=gone)
    answer = await execute(ARGS, context(blocks, client))
    assert answer.ok
    assert client.blocked_on_message == [True]
    assert await blocks.until(USER) == NOW + timedelta(seconds=60)


@pytest.mark.threat("S08")
async def test_a_repeated_call_extends_nothing() -> None:
    times = iter([NOW, NOW + timedelta(seconds=30)])
    now = [next(times)]
    blocks = MemoryBlocks(lambda: now[0])
    first = await execute(ARGS, context(blocks, Client(blocks)))
    now[0] = next(times)
    again = await execute(ARGS, context(blocks, Client(blocks)))
    other = await execute(ARGS, context(blocks, Client(blocks), incident="call-2"))
    assert first.data == again.data
    assert other.data["timeoutUntil"] == (NOW + timedelta(seconds=90)).isoformat(timespec="milliseconds")


@pytest.mark.threat("S09")
async def test_the_audio_falls_silent_only_after_the_farewell() -> None:
    blocks = MemoryBlocks(lambda: NOW)
    ending, silence = (await execute(ARGS, context(blocks, Client(blocks)))).intents
    assert ending.after == "farewell_spoken"
    assert ending.closing_message == ARGS["farewell_message"]
    assert silence.value is True

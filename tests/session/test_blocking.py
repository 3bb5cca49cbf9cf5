from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.apps import ANN, Workshop, running

import ambidex
from ambidex.capabilities.blocks import MemoryBlocks


@pytest.mark.threat("S06")
async def test_a_block_holds_whatever_list_the_application_keeps_beside_it(tmp_path: Path) -> None:
    own = MemoryBlocks()
    async with running(Workshop(tmp_path).reading().build(), capabilities={"blocks": own}) as app:
        session = await app.open(mode="text", user=ANN)
        await app.blocks.add(ANN, 60, incident="one")
        assert await own.until(ANN) is not None
        with pytest.raises(ambidex.Refused, match="UNAVAILABLE"):
            await session.begin_turn("hello")
        assert await app.blocks.lift(ANN)
        assert await own.until(ANN) is None
        await session.begin_turn("hello")
        assert [block.user for block in await app.blocks.list()] == []

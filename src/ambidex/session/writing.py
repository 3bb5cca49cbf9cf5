"""The end of a call reaches the store, at once or as soon as it can be reached again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ambidex.contracts.spec import ToolSpec
from ambidex.ledger.finish import Ending, Finished, finish
from ambidex.ledger.rows import CallRow
from ambidex.session.shared import Shared
from ambidex.stores.base import Tx
from ambidex.stores.errors import StoreUnavailable


def patience(shared: Shared, spec: ToolSpec | None) -> float:
    """Seconds that the store may take: a call that waits for it must still have time to run."""
    most = shared.store_seconds
    return most if spec is None else min(most, spec.timeout_ms / 2000)


async def write_end(shared: Shared, row: CallRow, spec: ToolSpec | None, ending: Ending) -> Finished | None:
    """None when the store cannot be reached in time; it is tried on, and nobody has to wait for that."""
    keep = shared.retention.reads

    def operation(tx: Tx) -> Finished:
        return finish(tx, row, ending, keep, shared.record)

    try:
        return await shared.runner.run(operation, lasting=row.writes, timeout=patience(shared, spec))
    except StoreUnavailable:
        shared.degraded = True
        shared.spawn(until_written(shared, row, operation))
        return None


async def until_written(shared: Shared, row: CallRow, operation: Callable[[Tx], Any]) -> None:
    """Try until the store takes it or the call's lease has lapsed: from then on the row is recovery's."""
    loop = asyncio.get_running_loop()
    deadline, pause = loop.time() + row.lease_ms / 1000, 0.05
    while loop.time() < deadline:
        await asyncio.sleep(pause)
        pause = min(1.0, pause * 2)
        with suppress(StoreUnavailable):
            await shared.runner.run(operation, lasting=row.writes, timeout=shared.store_seconds)
            shared.degraded = False
            return

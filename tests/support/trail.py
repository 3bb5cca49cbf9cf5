"""What the audit and the store hold, for tests that look behind the public API."""

from __future__ import annotations

from typing import Any

import msgspec

from ambidex import Orchestrator
from ambidex.audit.chain import LINES, settle
from ambidex.ledger.rows import CallRow, RequestRow, TurnRow
from ambidex.ledger.spaces import CALLS, REQUESTS, TURNS
from ambidex.stores.base import Tx


async def audited(app: Orchestrator, event: str | None = None) -> list[dict[str, Any]]:
    """Every line of the audit, oldest first, or those of one kind."""

    def read(tx: Tx) -> list[bytes]:
        settle(tx)
        return [line for _, line in tx.scan(LINES)]

    lines = [msgspec.json.decode(line) for line in await app._shared.runner.run(read)]
    return [line for line in lines if event in (None, line["event"])]


async def call_rows(app: Orchestrator) -> list[CallRow]:
    return [row for _, row in await app._shared.runner.run(lambda tx: tx.scan(CALLS))]


async def request_rows(app: Orchestrator) -> list[RequestRow]:
    return [row for _, row in await app._shared.runner.run(lambda tx: tx.scan(REQUESTS))]


async def turn_rows(app: Orchestrator) -> list[TurnRow]:
    rows = [row for _, row in await app._shared.runner.run(lambda tx: tx.scan(TURNS))]
    return sorted(rows, key=lambda row: row.number)

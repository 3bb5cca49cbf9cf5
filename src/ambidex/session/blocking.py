"""The block list that the gates read, and an application's own list beside it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ambidex.audit.chain import Record
from ambidex.audit.events import Event, EventKind
from ambidex.capabilities.blocks import Block, Blocks, Principal
from ambidex.ledger.blocks import add_block, block_left_ms, blocks_of, lift_block
from ambidex.ledger.spaces import BLOCKS, block_key
from ambidex.stores.runner import StoreRunner


class StoreBlocks:
    """The block list behind `ignore_user`, in the store that everything else is in."""

    __slots__ = ("_record", "_runner")

    def __init__(self, runner: StoreRunner, record: Record) -> None:
        self._runner = runner
        self._record = record

    async def add(self, user: Principal, duration_seconds: float, *, incident: str) -> datetime:
        def operation(tx: Any) -> int:
            until = add_block(tx, user.tenant, user.id, int(duration_seconds * 1000), incident)
            self._record(tx, [Event(event=EventKind.BLOCK_ADDED, tenant=user.tenant, user=user.id)])
            return until

        return _at(await self._runner.run(operation))

    async def until(self, user: Principal) -> datetime | None:
        def operation(tx: Any) -> int:
            left = block_left_ms(tx.get(BLOCKS, block_key(user.tenant, user.id)), tx.now)
            return tx.now.wall + left if left else 0

        until = await self._runner.run(operation, lasting=False)
        return _at(until) if until else None

    async def lift(self, user: Principal) -> bool:
        def operation(tx: Any) -> bool:
            lifted = lift_block(tx, user.tenant, user.id)
            if lifted:
                self._record(tx, [Event(event=EventKind.BLOCK_LIFTED, tenant=user.tenant, user=user.id)])
            return lifted

        return await self._runner.run(operation)

    async def list(self, tenant: str = "default") -> list[Block]:
        def operation(tx: Any) -> list[Block]:
            return [Block(row.tenant, row.user, _at(tx.now.wall + left)) for row, left in blocks_of(tx, tenant)]

        return sorted(await self._runner.run(operation, lasting=False), key=lambda block: block.until)


def _at(wall_ms: int) -> datetime:
    return datetime.fromtimestamp(wall_ms / 1000, UTC)


@dataclass(frozen=True, slots=True)
class BothBlocks:
    """An application's own list hears of every block; the store's is the one that holds, so it is written first."""

    listed: StoreBlocks
    own: Blocks

    async def add(self, user: Principal, duration_seconds: float, *, incident: str) -> datetime:
        until = await self.listed.add(user, duration_seconds, incident=incident)
        await self.own.add(user, duration_seconds, incident=incident)
        return until

    async def until(self, user: Principal) -> datetime | None:
        return await self.listed.until(user)

    async def lift(self, user: Principal) -> bool:
        lifted = await self.listed.lift(user)
        return await self.own.lift(user) or lifted

    async def list(self, tenant: str = "default") -> list[Block]:
        return await self.listed.list(tenant)

"""Blocked users, in the store: checked at every call and turn, extended, capped, surviving a restart."""

from __future__ import annotations

from ambidex.ledger.rows import BlockRow
from ambidex.ledger.spaces import BLOCKS, block_key
from ambidex.stores.base import Tx
from ambidex.stores.clock import Moment, elapsed_ms
from ambidex.stores.keys import prefix

DAY_MS = 86_400_000


def block_left_ms(row: BlockRow | None, now: Moment) -> int:
    """How long the block still lasts; 0 when there is none."""
    return max(0, row.until_ms - elapsed_ms(row.since, now)) if row else 0


def add_block(tx: Tx, tenant: str, user: str, duration_ms: int, incident: str) -> int:
    """The wall time in ms until which the user is blocked: the later of the old and the new end, at most a day ahead.

    An incident counts once, however often it is reported, and is always answered alike.
    """
    place = block_key(tenant, user)
    row = tx.get(BLOCKS, place)
    if row and incident in row.incidents:
        return row.incidents[incident]
    left = min(DAY_MS, max(block_left_ms(row, tx.now), duration_ms))
    until = tx.now.wall + left
    old = row.incidents if row else {}
    kept = {name: at for name, at in old.items() if at > tx.now.wall - DAY_MS}
    tx.put(
        BLOCKS,
        place,
        BlockRow(user=user, tenant=tenant, since=tx.now, until_ms=left, incidents={**kept, incident: until}),
    )
    return until


def lift_block(tx: Tx, tenant: str, user: str) -> bool:
    """Whether there was one. Its incidents are remembered, so that a late repeat does not block again."""
    place = block_key(tenant, user)
    row = tx.get(BLOCKS, place)
    if row is None or block_left_ms(row, tx.now) == 0:
        return False
    tx.put(BLOCKS, place, BlockRow(user=user, tenant=tenant, since=tx.now, until_ms=0, incidents=row.incidents))
    return True


def blocks_of(tx: Tx, tenant: str | None = None) -> list[tuple[BlockRow, int]]:
    """Every block in force, with how long it still lasts."""
    rows = [row for _, row in tx.scan(BLOCKS, prefix(tenant) if tenant else "")]
    return [(row, left) for row in rows if (left := block_left_ms(row, tx.now)) > 0]

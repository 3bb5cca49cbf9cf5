"""Rate limits: how often a tool may be called in a window, by a user or by a session."""

from __future__ import annotations

from ambidex.ledger.rows import Hits
from ambidex.ledger.spaces import HITS
from ambidex.policy.climb import Climb
from ambidex.stores.base import Tx
from ambidex.stores.clock import Moment, elapsed_ms
from ambidex.stores.keys import key


def recent(tx: Tx, name: str, window_ms: int) -> tuple[Moment, ...]:
    """What still counts at this moment, oldest first."""
    hits = tx.get(HITS, name)
    return tuple(at for at in hits.at if elapsed_ms(at, tx.now) < window_ms) if hits else ()


def hit(tx: Tx, name: str, window_ms: int, most: int) -> None:
    """Count one more; never more than can matter are kept."""
    tx.put(HITS, name, Hits((*recent(tx, name, window_ms), tx.now)[-most:]))


def until_free_ms(tx: Tx, at: tuple[Moment, ...], window_ms: int, most: int) -> int:
    """0 when there is room, else how long until the oldest that counts no longer does."""
    return 0 if len(at) < most else max(1, window_ms - elapsed_ms(at[-most], tx.now))


def rate_name(climb: Climb) -> str:
    limit, session = climb.tool.rate_limit, climb.session
    if limit is not None and limit.per == "session":
        return key("rate", climb.tool.tool_id, "session", session.id)
    return key("rate", climb.tool.tool_id, "user", session.user.tenant, session.user.id)


def wait_ms(climb: Climb) -> int:
    limit = climb.tool.rate_limit
    if limit is None:
        return 0
    at = recent(climb.tx, rate_name(climb), limit.window_ms)
    return until_free_ms(climb.tx, at, limit.window_ms, limit.calls)

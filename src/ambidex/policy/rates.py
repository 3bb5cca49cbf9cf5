"""Rate limits: how often a tool may be called in a window, by a user or by a session."""

from __future__ import annotations

from ambidex.contracts.spec import ToolSpec
from ambidex.ledger.rows import Hits, SessionRow
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


def rate_name(tool: ToolSpec, session: SessionRow) -> str:
    limit = tool.rate_limit
    if limit is not None and limit.per == "session":
        return key("rate", tool.tool_id, "session", session.id)
    return key("rate", tool.tool_id, "user", session.user.tenant, session.user.id)


def count_call(tx: Tx, tool: ToolSpec, session: SessionRow) -> None:
    """A call that is claimed counts, also one that a person approved."""
    if tool.rate_limit is not None:
        hit(tx, rate_name(tool, session), tool.rate_limit.window_ms, tool.rate_limit.calls)


def wait_ms(climb: Climb) -> int:
    limit = climb.tool.rate_limit
    if limit is None:
        return 0
    at = recent(climb.tx, rate_name(climb.tool, climb.session), limit.window_ms)
    return until_free_ms(climb.tx, at, limit.window_ms, limit.calls)

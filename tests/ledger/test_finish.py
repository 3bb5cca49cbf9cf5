"""The end of a call is written once, by whoever holds it; a store that lost the call is found out."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.apps import Workshop, error_of, one, talking
from tests.support.waiting import until

from ambidex import ToolResponse
from ambidex.audit.chain import LINES
from ambidex.contracts.call import Mode
from ambidex.contracts.user import User
from ambidex.ledger.finish import Ending, finish, let_go
from ambidex.ledger.rows import CallRow, CallState
from ambidex.ledger.spaces import CALLS, DOUBTFUL, OPEN, below, scope_of
from ambidex.stores.base import Tx
from ambidex.stores.memory import MemoryStore
from ambidex.stores.sqlite import SqliteStore
from ambidex.testing import FakeClock

HELD = """\
import asyncio
from pathlib import Path
from ambidex import ok

async def execute(args, context):
    with Path({path!r}).open("a") as effects:
        effects.write("ran\\n")
    while not Path({go!r}).exists():
        await asyncio.sleep(0.002)
    return ok({{"done": args["name"]}})
"""


def _row(clock: FakeClock, **changes: Any) -> CallRow:
    fields: dict[str, Any] = {
        "key": "id/1",
        "state": CallState.STARTED,
        "tool": "pay",
        "tool_version": "1.0.0",
        "registry": "1.0.0",
        "session": "s",
        "conversation": "c",
        "user": User("ann"),
        "mode": Mode.TEXT,
        "epoch": 1,
        "turn": 1,
        "call_id": "1",
        "args_hash": "h",
        "args": b'{"name":"secret"}',
        "writes": True,
        "began": clock.moment(),
        "lease_ms": 1000,
        "worker": "w",
    }
    return CallRow(**{**fields, **changes})


def _ending(state: CallState = CallState.DONE) -> Ending:
    return Ending(ToolResponse(ok=True), state, b"{}", b'{"ok":true}', duration_ms=1.0, attempt=1)


class Ledger:
    """One claimed call in a store of its own."""

    def __init__(self, **changes: Any) -> None:
        self.clock = FakeClock()
        self.store = MemoryStore(self.clock)
        self.row = _row(self.clock, **changes)
        self.scope = scope_of(self.row.user, self.row.conversation)
        self.place = below(self.scope, self.row.key)
        self.events: list[str] = []
        self.store.run(self._claim)

    def _claim(self, tx: Tx) -> None:
        tx.put(CALLS, self.place, self.row)
        tx.put(OPEN, self.place, self.place)
        tx.put(DOUBTFUL, below(self.scope, self.row.args_hash), self.place)

    def record(self, _: Tx, events: Any) -> None:
        self.events += [str(event.event) for event in events]

    def finish(self, ending: Ending, claimed: CallRow | None = None) -> bool:
        """Whether it counted."""
        done = self.store.run(lambda tx: finish(tx, claimed or self.row, ending, 100, self.record))
        return not done.stale

    @property
    def now(self) -> CallRow | None:
        return self.store.run(lambda tx: tx.get(CALLS, self.place))

    @property
    def marks(self) -> tuple[int, int]:
        """Whether it is open, and whether it is in doubt."""
        return self.store.run(lambda tx: (len(tx.scan(OPEN)), len(tx.scan(DOUBTFUL))))


@pytest.mark.threat("K04")
def test_a_stale_fence_writes_neither_answer_nor_final_record() -> None:
    ledger = Ledger(fence=2)
    assert not ledger.finish(_ending(), msgspec.structs.replace(ledger.row, fence=1))
    assert ledger.now == ledger.row
    assert ledger.events == ["late_result"]


def test_an_end_that_is_written_twice_by_the_same_worker_counts_once_and_is_told_once() -> None:
    ledger = Ledger()
    assert ledger.finish(_ending())
    assert ledger.finish(_ending()), "the first try came through although nobody heard of it"
    assert ledger.events == ["call_finished"]


def test_a_final_row_keeps_only_redacted_arguments() -> None:
    ledger = Ledger()
    ledger.finish(_ending())
    assert ledger.now is not None
    assert (ledger.now.args, ledger.now.envelope) == (b"{}", b'{"ok":true}')
    assert ledger.marks == (0, 0)


@pytest.mark.parametrize(("downstream", "is_open"), [("none", 0), ("key", 1), ("natural", 1)])
def test_a_write_in_doubt_stays_open_where_recovery_may_settle_it(downstream: str, is_open: int) -> None:
    ledger = Ledger(downstream=downstream)
    ledger.finish(_ending(CallState.UNKNOWN))
    assert ledger.marks == (is_open, 1)
    assert ledger.now is not None
    assert (b"secret" in ledger.now.args) is bool(is_open)


def test_a_late_end_settles_the_doubt() -> None:
    ledger = Ledger(downstream="none")
    ledger.finish(_ending(CallState.UNKNOWN))
    assert ledger.finish(_ending())
    assert ledger.now is not None
    assert (ledger.now.state, ledger.marks) == (CallState.DONE, (0, 0))
    assert ledger.events == ["call_finished", "late_result"]


@pytest.mark.parametrize(
    ("changes", "freed"),
    [({}, True), ({"fence": 2}, False), ({"state": CallState.DONE}, False), ({"state": CallState.UNKNOWN}, False)],
)
def test_only_a_claim_that_is_still_ones_own_is_let_go(changes: dict[str, Any], freed: bool) -> None:
    ledger = Ledger(**changes)
    claimed = msgspec.structs.replace(ledger.row, fence=1, state=CallState.STARTED)
    ledger.store.run(lambda tx: let_go(tx, claimed, ledger.record))
    assert (ledger.now != ledger.row) is freed
    assert (ledger.marks == (0, 0)) is freed


@pytest.mark.threat("K07")
@pytest.mark.parametrize("store", ["memory", "sqlite"])
async def test_a_row_that_vanished_while_its_call_ran_is_found_out_and_unknown(tmp_path: Path, store: str) -> None:
    """The store lost recent writes: whatever else it lost, this write is not called done."""
    kept = SqliteStore(tmp_path / "a.db") if store == "sqlite" else MemoryStore()
    code = HELD.format(path=str(tmp_path / "pay.effects"), go=str(tmp_path / "go"))
    shop = Workshop(tmp_path).writing("pay", handler=code)
    async with talking(shop.build(), store=kept) as (_, session, _t):
        asked = asyncio.ensure_future(one(session, "pay", None, "c1"))
        await until(lambda: bool(shop.runs("pay")))
        [(place, _row)] = kept.run(lambda tx: tx.scan(CALLS))
        [(doubt, _place)] = kept.run(lambda tx: tx.scan(DOUBTFUL))
        kept.run(lambda tx: tx.delete(CALLS, place))
        kept.run(lambda tx: tx.delete(DOUBTFUL, doubt))
        (tmp_path / "go").touch()
        await asked
        [(_, row)] = kept.run(lambda tx: tx.scan(CALLS))
        assert row.state is CallState.UNKNOWN
        assert error_of(await one(session, "pay", None, "c1")) == "OUTCOME_UNKNOWN"
        await session.begin_turn("once more")
        assert error_of(await one(session, "pay", None, "c2")) == "CONFIRMATION_REQUIRED"
        if store == "sqlite":
            lines = [json.loads(line) for _, line in kept.run(lambda tx: tx.scan(LINES))]
            [final] = [line for line in lines if line["event"] == "call_finished"]
            assert final["facts"]["rowLost"] is True
    assert len(shop.runs("pay")) == 1

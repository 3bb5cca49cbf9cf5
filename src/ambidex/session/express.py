"""A call on the express lane (`policy/express.py`): claimed, run and finished without a stop, on a store in memory.

It ends as on the long way, with the same envelope, rows, events and counts; a test compares the two. Anything that is
out of the ordinary goes the long way: before the claim the whole call does, after it the rest of the call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from ambidex.arguments.prepare import Prepared
from ambidex.audit.chain import WAITING, defer, defer_late
from ambidex.contracts.call import Mode
from ambidex.execution.attempt import Attempt, run_inline
from ambidex.execution.results import Result
from ambidex.ledger.page import LateCall, Page
from ambidex.ledger.spaces import BLOCKS, CALLS, CONVERSATIONS, SESSIONS, TURNS, below, scope_of
from ambidex.policy.climb import hash_of
from ambidex.policy.decide import Claimed, mark_open
from ambidex.policy.express import opens_page
from ambidex.registry.registry import Registry
from ambidex.session.context import CallContext
from ambidex.session.lanes import Lane, Lanes
from ambidex.stores.base import Tx
from ambidex.stores.memory import MemoryStore

if TYPE_CHECKING:
    from ambidex.session.session import Session
    from ambidex.session.shared import Shared

_MOST_ID = 500


@dataclass(frozen=True, slots=True)
class Begun:
    """A call that was claimed and turned out to be out of the ordinary: its first attempt, for those who go on."""

    call: LateCall
    place: str
    prepared: Prepared
    context: CallContext
    attempt: Attempt
    spent_ms: float


class Express:
    """One for each orchestrator whose store is in memory."""

    __slots__ = (
        "_blocks",
        "_calls",
        "_conversations",
        "_lanes",
        "_lock",
        "_sessions",
        "_shared",
        "_store",
        "_turns",
        "_waiting",
    )

    def __init__(self, shared: Shared, store: MemoryStore) -> None:
        self._shared = shared
        self._store = store
        self._lock = store.lock
        self._calls, self._turns, self._sessions = store.shelf(CALLS), store.shelf(TURNS), store.shelf(SESSIONS)
        self._blocks, self._waiting = store.shelf(BLOCKS), store.shelf(WAITING)
        self._conversations = store.shelf(CONVERSATIONS)
        self._lanes: dict[tuple[str, Mode], Lanes] = {}

    def lanes(self, registry: Registry, mode: Mode) -> Lanes:
        place = (registry.version, mode)
        found = self._lanes.get(place)
        if found is None or found.registry is not registry:  # the same version may be loaded anew
            found = self._lanes[place] = Lanes(self._shared, registry, mode)
        return found

    def answer(
        self, session: Session, name: str, args: str | bytes | Mapping[str, Any], call_id: str | None, provider: str
    ) -> bytes | Begun | None:
        """The envelope; None, and nothing done, for a call that has to go the long way from its beginning."""
        lanes = session._lanes
        lane = lanes[name] if lanes is not None and type(name) is str else None
        if lane is None:
            return None
        with self._lock:
            claimed = self._claim(session, lane, args, call_id, provider)
        return None if claimed is None else self._run(session, lane, *claimed)

    def _claim(
        self, session: Session, lane: Lane, args: str | bytes | Mapping[str, Any], call_id: str | None, provider: str
    ) -> tuple[LateCall, str, Prepared] | None:
        """The call, where it is kept, and its arguments."""
        page = self._page(session)
        if page is None or not (lane.is_within_budget(page) and self._is_free(session, page)):
            return None
        prepared = lane.plan.quick(args, lane.mode)
        if prepared is None:
            return None
        args_hash = hash_of(lane.spec.tool_id, prepared.canonical)
        if args_hash in page.hashes:
            return None
        key = _key(page, args_hash, call_id, provider)
        place = f"{page.scope}/{key}"
        if key is None or place in self._calls:
            return None
        call = LateCall(page, lane.spec, key, call_id or "", args_hash, prepared, self._store.clock.moment())
        page.claim(call, lane.most_retrieval is not None)
        self._calls[place] = call
        self._calls.added(place)
        return call, place, prepared

    def _page(self, session: Session) -> Page | None:
        """The page that is open for the session's turn, or a new one; None where the lane is closed."""
        page, seen = session._page, session._row
        if page is not None and self._is_open(page):
            return page
        row = self._sessions.read(seen.id)
        if row is None or row.epoch != seen.epoch or not row.turn or not self._is_current(session):
            return None
        scope = scope_of(row.user, row.conversation)
        conversation, turn = self._conversations.get(scope), self._turns.read(below(scope, row.turn))
        rules = self._shared.rules(row.registry, row.state.mode)
        if turn is None or conversation is None or not opens_page(row, conversation, turn, rules):
            return None
        session.saw(row)
        opened = session._page = Page(row, turn, self._shared.worker.name, self._shared.worker.grace_ms)
        self._turns[opened.place] = opened
        self._sessions[row.id] = opened.kept
        return opened

    def _is_open(self, page: Page) -> bool:
        """Whether nobody has looked at the turn or at the session since the page was opened."""
        turn: object = self._turns.get(page.place)
        session: object = self._sessions.get(page.session.id)
        return turn is page and session is page.kept

    def _is_current(self, session: Session) -> bool:
        """Whether the session has the registry that calls are counted in; the same version may be loaded anew."""
        return self._shared.registries[self._shared.current] is session.registry

    def _is_free(self, session: Session, page: Page) -> bool:
        shared = self._shared
        return (
            not session.cancelled
            and page.block_place not in self._blocks
            and self._is_current(session)
            and shared.active(page.session.id) < shared.session_room
        )

    def _run(self, session: Session, lane: Lane, call: LateCall, place: str, prepared: Prepared) -> bytes | Begun:
        page = call.page
        context = CallContext(call, page.session, page.turn, self._shared, session._pipeline.runner, lane.spec)
        attempt = run_inline(lane.tool, lane.check, prepared.args, context)
        spent_ms = round(attempt.took * 1000, 3)
        if attempt.result.is_plain and context.is_plain and spent_ms <= lane.slow_ms:
            with self._lock:
                envelope = self._finish(lane, call, place, prepared, attempt.result, spent_ms)
            if envelope is not None:
                return envelope
        return Begun(call, place, prepared, context, attempt, spent_ms)

    def _finish(
        self, lane: Lane, call: LateCall, place: str, prepared: Prepared, result: Result, spent_ms: float
    ) -> bytes | None:
        """The end of a call that ended in the ordinary way, all of it written; None, and nothing done, for another."""
        page = call.page
        # Without an await nobody else can have come between; another thread can.
        if page.latency_ms > lane.turn_ms or not self._is_open(page) or self._calls.get(place) is not call:
            return None
        # Less than a tick of the clock later it is still the same moment.
        now = call.began if spent_ms < 1 else self._store.clock.moment()
        try:
            envelope = lane.success.encode(result, prepared, call.call_id, page.turn.number, spent_ms, now)
        except Exception:  # a handler may have changed what it was given, or said what no text can hold
            return None
        if not defer_late(self._waiting, call, call.number_of_events, now):
            return None
        call.done(envelope, result.records, spent_ms, now)
        for evicted in page.keep(call, lane.spec.untrusted, self._shared.retention.reads):
            self._evict(f"{page.scope}/{evicted}")
        if lane.counts.ended_well(spent_ms, len(result.records)):
            lane.add_up()
        return envelope

    def is_speaking(self, session: Session) -> bool:
        """Whether a voice session of the conversation is running."""
        row = self._conversations.get(scope_of(session.user, session.conversation))
        return row is not None and row.voice_session != ""

    def _evict(self, place: str) -> None:
        """The answer goes, the row stays."""
        old = self._calls.get(place)
        if isinstance(old, LateCall):
            old.envelope = b""
        elif old is not None:
            self._calls[place] = msgspec.structs.replace(old, envelope=b"")

    def hand_over(self, session: Session, begun: Begun) -> Claimed:
        """The claim as rows, as `policy/decide.py` writes it, for those who go on from here."""
        shared, call, place = self._shared, begun.call, begun.place
        page = call.page

        def operation(tx: Tx) -> Claimed:
            row = tx.get(CALLS, place) or call.value()
            mark_open(tx, page.scope, row)
            defer(tx, call.began_events(row), call.began)  # nothing of it is counted
            turn, opened = tx.get(TURNS, page.place) or page.turn, tx.get(SESSIONS, row.session) or page.session
            return Claimed(row, opened, turn, begun.prepared)

        claimed = self._store.run(operation)
        shared.waiting[place] = asyncio.get_running_loop().create_future()
        shared.enter((claimed.row.tool, session.id), (None, None))
        return claimed


def _key(page: Page, args_hash: str, call_id: str | None, provider: str) -> str | None:
    """As `policy/seen.py` makes it for a question that the turn has not seen; None for an id that is doubtful."""
    if not call_id:
        return page.asked_key(args_hash)
    if type(call_id) is not str or not call_id.isascii() or len(call_id) > _MOST_ID:
        return None
    return page.id_key(provider, call_id) if provider else page.asked_key(args_hash)

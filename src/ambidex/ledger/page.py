"""The open page of a turn: calls that only look, written down in short while a store in memory holds them.

A `Page` stands in the place of its turn's row and knows what the turn has used; a `LateCall` stands in the place of a
call's row and of its audit events. Whoever reads one of them through the store finds the row, made in that moment, and
closes the page by it: from then on the rows count, and the next call opens a page anew. So nobody ever sees a page but
`policy/express.py` and `session/express.py`, who write it.
"""

from __future__ import annotations

import msgspec

from ambidex.arguments.prepare import Prepared
from ambidex.audit.chain import LateEvents
from ambidex.audit.events import Event, EventKind
from ambidex.contracts.spec import ToolSpec
from ambidex.ledger.events import call_event
from ambidex.ledger.rows import CallRow, CallState, SessionRow, TurnCall, TurnRow
from ambidex.ledger.spaces import below, block_key, scope_of
from ambidex.stores.base import Late
from ambidex.stores.clock import Moment
from ambidex.stores.keys import key


class Page(Late):
    """One writer: the event loop that the session's calls run on."""

    __slots__ = (
        "_prefixes",
        "block_place",
        "calls",
        "grace_ms",
        "hashes",
        "kept",
        "latency_ms",
        "place",
        "reads",
        "retrieval",
        "scope",
        "session",
        "total",
        "turn",
        "untrusted",
        "worker",
    )

    def __init__(self, session: SessionRow, turn: TurnRow, worker: str, grace_ms: int) -> None:
        self.worker = worker
        self.grace_ms = grace_ms
        self.session = session
        self.turn = turn
        self.scope = scope_of(session.user, session.conversation)
        self.place = below(self.scope, turn.number)
        self.block_place = block_key(session.user.tenant, session.user.id)
        self.retrieval = turn.retrieval
        self.total = turn.total
        self.latency_ms = turn.latency_ms
        self.untrusted = turn.untrusted
        self.hashes = {call.args_hash for call in turn.calls}
        self.calls: list[LateCall] = []
        self.reads = list(session.reads)
        self.kept = _Kept(self)
        self._prefixes: dict[str, str] = {}

    def id_key(self, provider: str, call_id: str) -> str:
        """As `policy/seen.py` makes it, scoped by provider, session and epoch."""
        prefix = self._prefixes.get(provider)
        if prefix is None:
            prefix = self._prefixes[provider] = f"{key('id', provider, self.session.id, self.session.epoch)}/"
        if "%" in call_id or "/" in call_id or "#" in call_id:
            call_id = key(call_id)
        return prefix + call_id

    def asked_key(self, args_hash: str) -> str:
        """The same for a call without an id, the first of the turn with these arguments."""
        return key("asked", self.turn.number, 0, args_hash)

    def claim(self, call: LateCall, retrieves: bool) -> None:
        """The call's reservation, as `policy/decide.py` makes it."""
        self.calls.append(call)
        self.hashes.add(call.args_hash)
        self.total += 1
        self.retrieval += retrieves

    def keep(self, call: LateCall, untrusted: bool, most_reads: int) -> list[str]:
        """What the call cost its turn, as `ledger/finish.py` charges it. Gives the keys whose answers must go."""
        self.latency_ms += call.duration_ms
        self.untrusted = self.untrusted or untrusted
        self.reads.append(call.key)
        over = len(self.reads) - most_reads
        if over <= 0:
            return []
        gone, self.reads = self.reads[:over], self.reads[over:]
        return gone

    def value(self) -> TurnRow:
        return msgspec.structs.replace(
            self.turn,
            retrieval=self.retrieval,
            total=self.total,
            latency_ms=self.latency_ms,
            untrusted=self.untrusted,
            calls=(*self.turn.calls, *(call.entry() for call in self.calls)),
        )


class _Kept(Late):
    """In the place of the session's row: the same, with the reads whose answers are kept."""

    __slots__ = ("_page",)

    def __init__(self, page: Page) -> None:
        self._page = page

    def value(self) -> SessionRow:
        return msgspec.structs.replace(self._page.session, reads=tuple(self._page.reads))


class LateCall(Late, LateEvents):
    """A call that was let through. Started until `done`; afterwards only its kept answer may still be dropped."""

    __slots__ = (
        "args",
        "args_hash",
        "began",
        "call_id",
        "clamped",
        "duration_ms",
        "ended",
        "envelope",
        "key",
        "page",
        "records",
        "tool",
        "untrusted",
    )

    def __init__(
        self, page: Page, tool: ToolSpec, key: str, call_id: str, args_hash: str, prepared: Prepared, began: Moment
    ) -> None:
        self.page = page
        self.tool = tool
        self.key = key
        self.call_id = call_id
        self.args_hash = args_hash
        self.args = prepared.canonical
        self.clamped = tuple(prepared.clamped) if prepared.clamped else ()
        self.began = began
        self.untrusted = page.untrusted
        self.ended: Moment | None = None

    def done(self, envelope: bytes, records: tuple[str, ...], duration_ms: float, now: Moment) -> None:
        self.envelope = envelope
        self.records = records
        self.duration_ms = duration_ms
        self.ended = now

    def entry(self) -> TurnCall:
        gave = "ok" if self.ended else ""
        return TurnCall(self.key, self.tool.tool_id, self.args_hash, self.page.session.epoch, False, gave)

    def value(self) -> CallRow:
        session, tool = self.page.session, self.tool
        return CallRow(
            key=self.key,
            state=CallState.DONE if self.ended else CallState.STARTED,
            tool=tool.tool_id,
            tool_version=tool.version,
            registry=session.registry,
            session=session.id,
            conversation=session.conversation,
            user=session.user,
            mode=session.state.mode,
            epoch=session.epoch,
            turn=session.turn,
            call_id=self.call_id,
            args_hash=self.args_hash,
            args=self.args,
            writes=False,
            downstream=tool.downstream,
            began=self.began,
            lease_ms=int(tool.timeout_ms) + self.page.grace_ms,
            worker=self.page.worker,
            untrusted=self.untrusted,
            envelope=self.envelope if self.ended else b"",
            ended=self.ended,
        )

    def dated(self) -> list[tuple[Moment, list[Event]]]:
        row = self.value()
        finished = call_event(
            EventKind.CALL_FINISHED, row, ok=True, duration=round(self.duration_ms, 3), records=self.records
        )
        return [(self.began, self.began_events(row)), (self.ended or self.began, [finished])]

    def began_events(self, row: CallRow) -> list[Event]:
        events = [call_event(EventKind.CALL_STARTED, row)]
        if self.clamped:
            events.append(call_event(EventKind.CALL_CLAMPED, row, facts={"parameters": ", ".join(self.clamped)}))
        return events

    @property
    def number_of_events(self) -> int:
        return 3 if self.clamped else 2

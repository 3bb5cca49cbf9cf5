"""The open page of a turn: whoever reads through the store finds rows, and closes it by that."""

from __future__ import annotations

import pytest
from tests.support.apps import ANN, Workshop

from ambidex.arguments.clamp import Clamped
from ambidex.arguments.prepare import Prepared
from ambidex.audit.events import EventKind
from ambidex.contracts.call import Mode
from ambidex.contracts.spec import ToolSpec
from ambidex.ledger.page import LateCall, Page
from ambidex.ledger.rows import CallState, SessionRow, State, TurnCall, TurnKind, TurnRow
from ambidex.ledger.spaces import CALLS, SESSIONS, TURNS
from ambidex.stores.clock import Moment
from ambidex.stores.keys import key
from ambidex.stores.memory import MemoryStore

BEGAN, ENDED = Moment(1_000, 1_000, "b"), Moment(1_002, 1_002, "b")
EARLIER = TurnCall("asked/x", "pay", "paid", 1, True, "ok")
CLAMPED: Clamped = {"k": {"from": 9, "to": 3}}


@pytest.fixture
def tool(workshop: Workshop) -> ToolSpec:
    return workshop.reading("look").build()._specs["look"]


@pytest.fixture
def page() -> Page:
    state = State(mode=Mode.TEXT)
    session = SessionRow(
        id="s",
        user=ANN,
        conversation="c",
        registry="1",
        content_hash="",
        state=state,
        opened=BEGAN,
        turn=2,
        reads=("r1",),
    )
    turn = TurnRow(number=2, kind=TurnKind.MESSAGE, input="", began=BEGAN, total=1, latency_ms=2, calls=(EARLIER,))
    return Page(session, turn, "worker", 2_000)


def late(page: Page, tool: ToolSpec, args_hash: str = "h1", clamped: Clamped | None = None) -> LateCall:
    prepared = Prepared({}, b"{}", (), clamped or {}, ())
    call = LateCall(page, tool, page.id_key("api", args_hash), args_hash, args_hash, prepared, BEGAN)
    page.claim(call, True)
    return call


def end(page: Page, call: LateCall, *, untrusted: bool = False, most: int = 100) -> list[str]:
    call.done(b'{"ok":true}', ("person:1",), 1.5, ENDED)
    return page.keep(call, untrusted, most)


def test_a_page_knows_what_its_turn_had_used_before(page: Page) -> None:
    assert (page.total, page.retrieval, page.latency_ms, page.hashes) == (1, 0, 2, {"paid"})
    assert page.value() == page.turn


def test_a_claim_is_reserved_at_once_and_its_time_charged_at_its_end(page: Page, tool: ToolSpec) -> None:
    call = late(page, tool)
    claimed = page.value()
    assert (claimed.total, claimed.retrieval, claimed.latency_ms) == (2, 1, 2)
    assert claimed.calls == (EARLIER, TurnCall(call.key, "look", "h1", 1, False, ""))
    end(page, call, untrusted=True)
    ended = page.value()
    assert (ended.total, ended.latency_ms, ended.untrusted, ended.calls[-1].gave) == (2, 3.5, True, "ok")


def test_a_call_is_started_until_it_is_done(page: Page, tool: ToolSpec) -> None:
    call = late(page, tool)
    assert (call.value().state, call.value().envelope, call.value().ended) == (CallState.STARTED, b"", None)
    end(page, call)
    assert (call.value().state, call.value().envelope, call.value().ended) == (CallState.DONE, b'{"ok":true}', ENDED)


def test_a_call_after_outsiders_text_is_marked_and_the_one_that_brought_it_is_not(page: Page, tool: ToolSpec) -> None:
    first = late(page, tool)
    end(page, first, untrusted=True)
    assert [first.value().untrusted, late(page, tool, "h2").value().untrusted] == [False, True]


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_the_oldest_answers_go_when_more_are_kept_than_may_be(page: Page, tool: ToolSpec, most: int) -> None:
    calls = [late(page, tool, name) for name in ("h1", "h2")]
    gone = [key for call in calls for key in end(page, call, most=most)]
    order = ["r1", *(call.key for call in calls)]
    kept = order[len(order) - most :]
    assert (gone, page.reads) == (order[: len(order) - most], kept)
    assert page.kept.value().reads == tuple(kept)


def test_its_events_are_dated_as_they_happened(page: Page, tool: ToolSpec) -> None:
    call = late(page, tool, clamped=CLAMPED)
    end(page, call)
    [(began, first), (ended, last)] = call.dated()
    assert (began, [event.event for event in first]) == (BEGAN, [EventKind.CALL_STARTED, EventKind.CALL_CLAMPED])
    assert (ended, [event.event for event in last]) == (ENDED, [EventKind.CALL_FINISHED])
    assert (last[0].ok, last[0].duration, last[0].records) == (True, 1.5, ("person:1",))
    assert call.number_of_events == len(first) + len(last) == 3


def test_keys_are_those_of_the_long_way_whatever_an_id_holds(page: Page) -> None:
    for call_id in ("c1", "a/b", "50%", "#1"):
        assert page.id_key("live", call_id) == key("id", "live", "s", 1, call_id)
    assert page.asked_key("h") == key("asked", 2, 0, "h")


def test_whoever_reads_finds_rows_and_closes_the_page(page: Page, tool: ToolSpec) -> None:
    store, call = MemoryStore(), late(page, tool)
    turns, sessions, calls = store.shelf(TURNS), store.shelf(SESSIONS), store.shelf(CALLS)
    turns["t"], sessions["s"], calls["c"] = page, page.kept, call
    found = store.run(lambda tx: (tx.get(TURNS, "t"), tx.get(SESSIONS, "s"), tx.get(CALLS, "c")))
    assert found == (page.value(), page.kept.value(), call.value())
    assert (turns["t"], sessions["s"], calls["c"]) == found

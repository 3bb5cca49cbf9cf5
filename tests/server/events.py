"""Turns for tests: one that shows everything, and random ones in any order."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ambidex.agents import events as ev
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault, Meta, ToolResponse

META = Meta(
    tool_id="kb_search",
    tool_version="1.0.0",
    registry_version="1.0.0",
    response_schema_version="1.1.0",
    duration=12.5,
    timestamp="2026-03-02T09:00:00.000Z",
    call_id="c1",
    turn=1,
    attempt=1,
)


def done(data: Any = None) -> ToolResponse:
    return ToolResponse(ok=True, data=data, meta=META)


def failed(type: ErrorType, message: str = "it did not work") -> ToolResponse:
    return ToolResponse(
        ok=False, error=Fault(type=type, message=message, retryable=False, partial_side_effects=False), meta=META
    )


def wanted(call_id: str = "c2", request_id: str = "r1") -> ev.ApprovalWanted:
    return ev.ApprovalWanted(
        call_id, "calendar_create_event", request_id, "Create “Standup”", "2026-03-02T09:05:00Z", {"title": "Standup"}
    )


BOOKING: tuple[ev.AgentEvent, ...] = (
    ev.TurnStarted("chat", 1, "offline", "router"),
    ev.ClientMessage({"type": "progress", "message": "looking"}),
    ev.StepStarted(1),
    ev.TextDelta("Let me "),
    ev.TextDelta("look."),
    ev.CallStarted("c1", "kb_search"),
    ev.CallDelta("c1", '{"query":'),
    ev.CallDelta("c1", '"rooms"}'),
    ev.CallReady("c1", "kb_search", {"query": "rooms"}, '{"query":"rooms"}'),
    ev.CallAnswered("c1", "kb_search", done({"results": [{"id": "room-4"}]})),
    ev.Cited("room-4", "Room 4", None),
    ev.StepEnded(1),
    ev.StepStarted(2),
    ev.CallReady("c2", "calendar_create_event", {"title": "Standup"}, '{"title":"Standup"}'),
    ev.CallAnswered("c2", "calendar_create_event", failed(ErrorType.CONFIRMATION_REQUIRED)),
    wanted(),
    ev.StepEnded(2),
    ev.TurnEnded("approval"),
)
"""One look-up, then a booking that waits for the user."""

BOOKED: tuple[ev.AgentEvent, ...] = (
    ev.TurnStarted("chat", 2, "offline", "router"),
    ev.StepStarted(1),
    ev.TextDelta("It is booked."),
    ev.StepEnded(1),
    ev.TurnEnded("stop"),
)


def settled(approved: bool, answer: ToolResponse) -> ev.ApprovalSettled:
    return ev.ApprovalSettled("c2", "calendar_create_event", "r1", approved, answer)


_IDS = st.sampled_from(["c1", "c2", "c3", "", "\ud800"])
_NAMES = st.sampled_from(["kb_search", "send", "nö\udfff"])
_KEYS = st.sampled_from(["a", "__proto__", "constructor", "prototype", "\ud83d"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("\ud83d"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)
_ARGS = st.none() | st.dictionaries(_KEYS, JSON, max_size=3)
_TEXTS = st.text(max_size=5) | st.just("\udc00")
_ANSWERS = st.builds(done, JSON) | st.builds(failed, st.sampled_from(ErrorType), _TEXTS)
EVENTS: st.SearchStrategy[ev.AgentEvent] = st.one_of(
    st.builds(ev.TurnStarted, _TEXTS, st.integers(1, 9), _TEXTS, _TEXTS),
    st.builds(ev.StepStarted, st.integers(1, 9)),
    st.builds(ev.TextDelta, _TEXTS),
    st.builds(ev.CallStarted, _IDS, _NAMES),
    st.builds(ev.CallDelta, _IDS, _TEXTS),
    st.builds(ev.CallReady, _IDS, _NAMES, _ARGS, _TEXTS),
    st.builds(ev.CallAnswered, _IDS, _NAMES, _ANSWERS),
    st.builds(ev.ApprovalWanted, _IDS, _NAMES, _TEXTS, _TEXTS, _TEXTS, st.dictionaries(_KEYS, JSON, max_size=2)),
    st.builds(ev.ApprovalSettled, _IDS, _NAMES, _TEXTS, st.booleans(), _ANSWERS),
    st.builds(
        ev.Cited, _TEXTS, _TEXTS, st.none() | st.sampled_from(["https://a.example/b", "javascript:x", "https://["])
    ),
    st.builds(ev.ClientMessage, st.dictionaries(_KEYS | st.just("type"), JSON | st.just("progress"), max_size=3)),
    st.builds(ev.StepEnded, st.integers(1, 9)),
    st.builds(ev.TurnEnded, st.sampled_from(["stop", "length", "filtered", "steps", "approval", "blocked"])),
    st.builds(ev.TurnFailed, _TEXTS, _TEXTS),
)

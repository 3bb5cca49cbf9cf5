"""What `useChat` front ends are sent: never a chunk that one of them throws at, and never one that makes them loop."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.server.events import BOOKED, BOOKING, EVENTS, done, failed, settled, wanted
from tests.server.strict_client import Part, StrictClient

from ambidex.agents import events as ev
from ambidex.contracts.faults import ErrorType
from ambidex.server.ui_stream import Encoder
from ambidex.server.wire import frame


def read(client: StrictClient, encoder: Encoder, events: Any) -> list[dict[str, Any]]:
    """Everything the client reads of a turn."""
    chunks = encoder.begin()
    for event in events:
        chunks += encoder.encode(event)
    return [client.read(frame(chunk)) for chunk in (*chunks, *encoder.end())]


def kinds(chunks: list[dict[str, Any]]) -> list[str]:
    return [chunk["type"] for chunk in chunks]


@settings(max_examples=100, deadline=None)
@given(st.lists(EVENTS, max_size=30), st.booleans(), st.sets(st.sampled_from(["c1", "c2"])))
def test_no_order_of_events_makes_a_chunk_that_a_client_refuses(
    events: list[ev.AgentEvent], approvals: bool, taken: set[str]
) -> None:
    parts = {id: Part("send", "approval-responded", 0) for id in taken}
    client = StrictClient(approvals=approvals, parts=parts)
    read(client, Encoder("m1", approvals=approvals, deciding=taken), events)
    assert client.finished in ("finish", "error")
    assert not client.would_post_again
    assert all(part.state != "input-streaming" for part in client.parts.values())


def test_a_turn_that_asks_for_approval_is_the_sequence_that_works_everywhere() -> None:
    client = StrictClient()
    chunks = read(client, Encoder("m1"), BOOKING)
    shown = [kind for kind in kinds(chunks) if kind not in ("data-turn", "data-confirmation")]
    assert shown == [
        "start",
        "data-progress",
        "start-step",
        "text-start",
        "text-delta",
        "text-delta",
        "text-end",
        "tool-input-start",
        "tool-input-delta",
        "tool-input-delta",
        "tool-input-available",
        "data-timeline",
        "tool-output-available",
        "data-timeline",
        "source-document",
        "finish-step",
        "start-step",
        "tool-input-available",
        "data-timeline",
        "data-timeline",
        "tool-approval-request",
        "finish-step",
        "finish",
    ]
    assert client.parts["c2"].state == "approval-requested"


def test_an_approved_call_gets_its_outcome_in_the_old_part_and_a_new_step_before_the_text() -> None:
    client = StrictClient(parts={"c2": Part("calendar_create_event", "approval-responded", 0)})
    encoder = Encoder("m1", deciding=["c2"])
    chunks = [*encoder.begin(), *encoder.settled(settled(True, done({"id": "e1"})), "c2")]
    for event in BOOKED:
        chunks += encoder.encode(event)
    told = kinds([client.read(frame(chunk)) for chunk in chunks])
    assert told.index("tool-output-available") < told.index("start-step") < told.index("text-start")
    assert client.data["data-confirmation", "r1"]["state"] == "approved"
    assert not client.would_post_again


@pytest.mark.parametrize("type", [ErrorType.CONFIRMATION_REJECTED, ErrorType.CONFIRMATION_EXPIRED])
def test_a_rejected_or_expired_request_is_a_denied_part(type: ErrorType) -> None:
    encoder = Encoder("m1", deciding=["c2"])
    told = kinds(list(encoder.settled(settled(False, failed(type)), "c2")))
    assert "tool-output-denied" in told
    assert "tool-output-error" not in told


def test_version_5_gets_no_approvals_and_no_denials() -> None:
    client = StrictClient(approvals=False)
    chunks = read(client, Encoder("m1", approvals=False), BOOKING)
    assert not {"tool-approval-request", "tool-output-denied"} & set(kinds(chunks))
    assert client.data["data-confirmation", "r1"]["state"] == "pending"
    assert not client.would_post_again


def test_a_gated_child_gets_a_part_of_its_own_in_the_step_of_its_parent() -> None:
    client = StrictClient()
    events = [
        ev.StepStarted(1),
        ev.CallReady("parent", "plan", {}, "{}"),
        ev.CallReady("other", "look", {}, "{}"),
        ev.CallAnswered("other", "look", done({})),
        ev.CallAnswered("parent", "plan", failed(ErrorType.CONFIRMATION_REQUIRED)),
        wanted("child", "r9"),
        ev.StepEnded(1),
        ev.TurnEnded("approval"),
    ]
    read(client, Encoder("m1"), events)
    assert {id: part.state for id, part in client.parts.items()} == {
        "parent": "output-error",
        "other": "output-available",
        "child": "approval-requested",
    }
    assert {part.step for part in client.parts.values()} == {1}


def test_an_id_that_comes_again_is_another_part() -> None:
    client = StrictClient()
    twice = [ev.CallReady("c1", "look", {}, "{}"), ev.CallAnswered("c1", "look", done({}))] * 2
    read(client, Encoder("m1"), [*twice, ev.TurnEnded("stop")])
    assert set(client.parts) == {"c1", "c1~2"}


def test_a_turn_that_breaks_off_answers_its_open_calls() -> None:
    client = StrictClient()
    events = [
        ev.StepStarted(1),
        ev.CallStarted("c1", "look"),
        ev.CallDelta("c1", '{"a'),
        ev.TurnFailed("network", "Sorry."),
    ]
    chunks = read(client, Encoder("m1"), events)
    assert client.parts["c1"].state == "output-error"
    assert chunks[-1] == {"type": "error", "errorText": "Sorry."}


def test_paths_that_an_author_redacts_are_not_shown() -> None:
    encoder = Encoder("m1", redact=lambda tool: ["data.secret"] if tool == "look" else [])
    chunks = [
        *encoder.encode(ev.CallReady("c1", "look", {}, "{}")),
        *encoder.encode(ev.CallAnswered("c1", "look", done({"secret": "hush", "open": 1}))),
    ]
    [output] = [chunk["output"] for chunk in chunks if chunk["type"] == "tool-output-available"]
    assert output["open"] == 1
    assert "hush" not in str(chunks)

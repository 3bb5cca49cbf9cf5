"""Arguments of shipped tools by their rules, and of any other tool by its schema alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ambidex import Registry
from ambidex.offline.slots.calendars import event_to_create, range_to_look_at
from ambidex.offline.slots.fill import fill
from ambidex.offline.slots.heard import Heard

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BOOKING: dict[str, Any] = {
    "required": ["title", "start_time", "end_time", "attendees"],
    "properties": {
        "title": {"type": "string", "maxLength": 20},
        "start_time": {"type": "string", "format": "date-time"},
        "end_time": {"type": "string", "format": "date-time"},
        "attendees": {"type": "array", "items": {"type": "string", "format": "email"}},
        "room": {"type": "string", "enum": ["red", "blue"]},
        "chairs": {"type": "integer"},
        "include_coffee": {"type": "boolean"},
        "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
        "phone": {"type": "string"},
        "day": {"type": "string", "format": "date"},
    },
}
NOTE: dict[str, Any] = {"required": ["text"], "properties": {"text": {"type": "string", "maxLength": 10}}}


def _filled(text: str, schema: dict[str, Any] = BOOKING) -> dict[str, Any]:
    return fill("book_room", schema, Heard(text, NOW)).args


def test_a_tool_that_nobody_knows_is_filled_by_its_schema() -> None:
    said = (
        'book "Site visit" tomorrow at 2 pm for an hour with tom@example.org and ada@example.org,'
        " the blue room, six chairs, without coffee, code AB-12, call +1 415 555 2671"
    )
    assert _filled(said) == {
        "title": "Site visit",
        "start_time": "2026-03-03T14:00:00Z",
        "end_time": "2026-03-03T15:00:00Z",
        "attendees": ["tom@example.org", "ada@example.org"],
        "room": "blue",
        "chairs": 6,
        "include_coffee": False,
        "code": "AB-12",
        "phone": "+14155552671",
        "day": "2026-03-03",
    }


def test_what_was_not_said_is_missing_and_never_made_up() -> None:
    filled = fill("book_room", BOOKING, Heard("book a room with tom@example.org", NOW))
    assert (filled.args, filled.missing) == ({"attendees": ["tom@example.org"]}, "title")


def test_two_times_are_the_beginning_and_the_end() -> None:
    args = _filled("meeting called Retro on thursday from 4 pm until 5 pm")
    assert (args["title"], args["start_time"], args["end_time"]) == (
        "Retro",
        "2026-03-05T16:00:00Z",
        "2026-03-05T17:00:00Z",
    )


@pytest.mark.parametrize(
    ("said", "text"),
    [("send a note: call Tom", "call Tom"), ("call Tom please", "call Tom"), ("note: " + "x" * 30, "x" * 10)],
)
def test_the_one_free_text_gets_what_was_brought_cut_to_its_length(said: str, text: str) -> None:
    assert _filled(said, NOTE) == {"text": text}


def test_an_end_beyond_the_calendar_is_none() -> None:
    assert "end_time" not in _filled("9999-12-31T23:30:00Z for an hour")


def test_an_address_that_cannot_be_one_is_none() -> None:
    assert "attendees" not in _filled("invite a..b@example.org")


@pytest.mark.parametrize(
    ("tool", "said", "args"),
    [
        ("kb_search", "please search my personal notes for the boat", {"query": "the boat", "namespace": "personal"}),
        (
            "kb_search",
            "find me two documents on light",
            {"query": "two documents on light", "filters": {"type": "doc"}, "top_k": 2},
        ),
        ("kb_get", "compare doc:a1 with doc:b2, and doc:a1", {"ids": ["doc:a1", "doc:b2"]}),
        (
            "format_datetime",
            "3pm berlin time in new york",
            {"value": "2026-03-02T15:00:00+01:00", "timezone": "America/New_York"},
        ),
        ("format_datetime", "what time is it in Tokyo", {"value": "2026-03-02T09:00:00Z", "timezone": "Asia/Tokyo"}),
        ("format_datetime", "convert 3pm to tokyo time", {"value": "2026-03-02T15:00:00Z", "timezone": "Asia/Tokyo"}),
        ("reg_describe", "what can the date tool do?", {"toolId": "format_datetime"}),
        ("start_voice_session", "can we talk?", {"pending_request": ""}),
        ("end_voice_session", "let's go on in the chat", {"reason": "switch_to_text"}),
        (
            "image_draft_prompt",
            "two watercolour prompts of a boat",
            {"brief": "a boat", "style": "watercolour", "variants": 2},
        ),
        ("extract_contacts", "extract the emails: a@b.example", {"text": "a@b.example"}),
    ],
)
def test_a_shipped_tool_is_filled_by_its_own_rule(
    registry: Registry, tool: str, said: str, args: dict[str, Any]
) -> None:
    assert fill(tool, registry.json_schema(tool), Heard(said, NOW), registry.tool_ids("text")).args == args


@pytest.mark.parametrize(
    ("tool", "slot"),
    [("kb_get", "id"), ("format_datetime", "value"), ("extract_contacts", "text"), ("image_draft_prompt", "brief")],
)
def test_a_bare_wish_leaves_its_slot_missing(registry: Registry, tool: str, slot: str) -> None:
    wishes = {
        "kb_get": "open it",
        "format_datetime": "convert this",
        "extract_contacts": "extract contacts",
        "image_draft_prompt": "draft an image prompt",
    }
    assert fill(tool, registry.json_schema(tool), Heard(wishes[tool], NOW)).missing == slot


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("when am I free tomorrow", {"start_date": "2026-03-03T00:00:00Z", "end_date": "2026-03-04T00:00:00Z"}),
        (
            "is the team free today",
            {"start_date": "2026-03-02T09:00:00Z", "end_date": "2026-03-03T00:00:00Z", "calendars": ["team"]},
        ),
        (
            "an hour on thursday afternoon",
            {"start_date": "2026-03-05T12:00:00Z", "end_date": "2026-03-05T18:00:00Z", "min_duration_minutes": 60},
        ),
        ("am I busy next week", {"start_date": "2026-03-09T00:00:00Z", "end_date": "2026-03-16T00:00:00Z"}),
        ("check my calendar", {}),
    ],
)
def test_a_range_of_days_is_looked_at_from_now_on(said: str, args: dict[str, Any]) -> None:
    assert range_to_look_at(Heard(said, NOW)) == args


def test_an_event_has_a_name_two_times_and_guests() -> None:
    said = 'put "Retro" in the calendar for thursday 4 pm until 5 pm, invite tom@example.org, no zoom link'
    assert event_to_create(Heard(said, NOW)) == {
        "title": "Retro",
        "start_time": "2026-03-05T16:00:00Z",
        "end_time": "2026-03-05T17:00:00Z",
        "attendees": ["tom@example.org"],
        "include_zoom_link": False,
    }

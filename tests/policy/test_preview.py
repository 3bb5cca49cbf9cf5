"""A person must read exactly what will run, and nothing that only looks like it."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.apps import Workshop, one, talking

from ambidex.contracts.spec import ToolSpec
from ambidex.policy.preview import preview_of, visible

INVITE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "start": {"type": "string", "format": "date-time"},
        "attendees": {"type": "array", "items": {"type": "string", "format": "email"}},
        "minutes": {"type": "integer", "default": 30},
        "where": {
            "type": "object",
            "properties": {"room": {"type": "string"}},
            "additionalProperties": {"type": "string"},
        },
    },
    "required": ["title"],
    "additionalProperties": False,
}
GUIDE_EXAMPLE = '{"name": "Ada"}'


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("preview"))


@pytest.fixture(scope="module")
def invite(workshop: Workshop) -> ToolSpec:
    return _spec(workshop, "invite", preview='Invite to "{title}" in {where.room}')


def _spec(workshop: Workshop, name: str, **fields: Any) -> ToolSpec:
    from tests.support.folders import GUIDE

    guide = GUIDE.replace(GUIDE_EXAMPLE, '{"title": "Lunch"}')
    workshop.gated(name, parameters=INVITE, guide=guide, handler=HANDLER, **fields)
    return workshop.build()._specs[name]


HANDLER = "from ambidex import ok\n\n\nasync def execute(args, context):\n    return ok(dict(args))\n"


@pytest.mark.threat("C05")
def test_the_headline_stands_first_and_every_argument_below_it(invite: ToolSpec) -> None:
    args = {
        "title": "Lunch",
        "start": "2026-03-03T12:30:00+01:00",
        "attendees": ["ada@example.org", "bob@example.org"],
        "minutes": 45,
        "where": {"room": "Attic"},
    }
    assert preview_of(invite, args).splitlines() == [
        'Invite to "Lunch" in Attic',
        '  title: "Lunch"',
        '  start: "2026-03-03T12:30:00+01:00"',
        '  attendees[1]: "ada@example.org"',
        '  attendees[2]: "bob@example.org"',
        "  minutes: 45",
        '  where.room: "Attic"',
    ]


@pytest.mark.threat("C05")
def test_two_hundred_attendees_are_all_listed(invite: ToolSpec) -> None:
    people = [f"guest{number}@example.org" for number in range(200)]
    lines = preview_of(invite, {"title": "Party", "attendees": people}).splitlines()
    assert lines[2:] == [f'  attendees[{place}]: "{person}"' for place, person in enumerate(people, 1)]


@pytest.mark.threat("C05")
def test_what_cannot_be_seen_is_shown_escaped(invite: ToolSpec) -> None:
    title = "pay\u202egnp.exe\u200b\u2066\ufeff\U000e0041\u00ad\x07\x9b\u2028\U0001d173 €5"
    shown = "pay\\u202egnp.exe\\u200b\\u2066\\ufeff\\U000e0041\\xad\\x07\\x9b\\u2028\\U0001d173 €5"
    headline, line = preview_of(invite, {"title": title}).split("\n")
    assert headline == f'Invite to "{shown}" in '
    # JSON has its own escape for the bell; all else reads as in the headline.
    assert line == f'  title: "{shown}"'.replace("\\x07", "\\u0007")


@pytest.mark.threat("C05")
def test_a_value_cannot_pose_as_another_line(invite: ToolSpec) -> None:
    args = {"title": 'Lunch"\n  attendees[1]: "nobody@example.org', "attendees": ["eve@example.org"]}
    lines = preview_of(invite, args).splitlines()
    assert len(lines) == 3
    assert [line for line in lines if line.startswith("  attendees")] == ['  attendees[1]: "eve@example.org"']


@pytest.mark.threat("C05")
def test_a_name_that_a_model_chose_cannot_pose_as_a_path_or_a_value(invite: ToolSpec) -> None:
    preview = preview_of(invite, {"title": "x", "where": {'room: "Attic"\n  minutes': "5", "a.b": "c"}})
    assert preview.splitlines()[2:] == ['  where."room: \\"Attic\\"\\n  minutes": "5"', '  where."a.b": "c"']


@pytest.mark.threat("C05")
@settings(max_examples=150, deadline=None)
@given(title=st.text(max_size=40), people=st.lists(st.text(max_size=20), max_size=5), room=st.text(max_size=20))
def test_whatever_the_text_every_value_has_one_line_that_can_be_seen(
    invite: ToolSpec, title: str, people: list[str], room: str
) -> None:
    args = {"title": title, "attendees": people, "where": {"room": room}}
    lines = preview_of(invite, args).split("\n")
    assert len(lines) == 1 + 1 + max(1, len(people)) + 1
    assert not {unicodedata.category(char) for line in lines for char in line} & {"Cc", "Cf", "Zl", "Zp"}


def test_without_a_template_the_description_is_the_headline(workshop: Workshop) -> None:
    assert preview_of(_spec(workshop, "plain"), {"title": "x"}).splitlines()[0] == "Greets somebody by name."


def test_doubled_braces_are_braces_and_other_values_are_json(workshop: Workshop) -> None:
    tool = _spec(workshop, "braces", preview="{{{title}}} for {minutes} with {attendees}")
    assert preview_of(tool, {"title": "x", "minutes": 5, "attendees": ["a@b.c"]}).splitlines()[0] == (
        '{x} for 5 with ["a@b.c"]'
    )


def test_a_warning_stands_between_headline_and_arguments(invite: ToolSpec) -> None:
    assert preview_of(invite, {"title": "x"}, warning="Careful.").splitlines()[1:] == ["Careful.", '  title: "x"']


def test_empty_lists_and_objects_are_listed_too(invite: ToolSpec) -> None:
    assert preview_of(invite, {"attendees": [], "where": {}}).splitlines()[1:] == ["  attendees: []", "  where: {}"]


def test_honest_text_is_left_as_it_is() -> None:
    assert visible("Grüße, 你好, שלום, مرحبا, café 👍️") == "Grüße, 你好, שלום, مرحبا, café 👍️"


@pytest.mark.threat("C05")
async def test_the_preview_is_of_the_canonical_arguments_and_those_run(tmp_path: Path) -> None:
    """Another spelling of é, a default that was not given, a clamp: the person reads what the handler gets."""
    workshop = Workshop(tmp_path)
    limits = {"text": {"minutes": {"maximum": 20}}}
    _spec(workshop, "invite", modeLimits=limits)
    async with talking(workshop.build()) as (_, session, _):
        asked = await one(session, "invite", {"title": "Cafe\u0301", "start": "2026-03-03T12:30:00Z"})
        [request] = await session.confirmations()
        assert request.preview.splitlines()[1:] == [
            '  title: "Caf\u00e9"',
            '  start: "2026-03-03T12:30:00Z"',
            "  minutes: 20",
        ]
        outcome = await session.approve(request.token)
    assert asked.error is not None
    assert asked.error.confirmation_request is not None
    assert outcome.data == dict(request.args) == asked.error.confirmation_request.args

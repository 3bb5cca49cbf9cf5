"""A line is one line, whatever was put into it, and says what the published schema says."""

from __future__ import annotations

from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.audit.making import event, full_event

from ambidex.audit.chain import LINES, append
from ambidex.audit.events import Event, EventKind
from ambidex.audit.line import FACTS_LIMIT, LIST_LIMIT, TEXT_LIMIT, Line, decode, encode
from ambidex.contracts import schemas
from ambidex.contracts.faults import ErrorType
from ambidex.dialect.validator import compile_schema
from ambidex.stores.memory import MemoryStore

PUBLISHED = schemas.schema("audit-event.schema.json")
CHECK = compile_schema(PUBLISHED)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)
"""Halves of surrogate pairs too: a model can send them, and Python keeps them."""


def recorded(*events: Event) -> list[bytes]:
    store = MemoryStore()
    store.run(lambda tx: append(tx, events))
    return [line for _, line in store.run(lambda tx: tx.scan(LINES))]


def test_the_published_schema_has_the_members_of_a_line() -> None:
    assert set(PUBLISHED["properties"]) == set(Line.__struct_encode_fields__)
    assert set(PUBLISHED["properties"]["event"]["enum"]) == set(EventKind)
    assert set(PUBLISHED["properties"]["errorType"]["enum"]) == set(ErrorType)


@pytest.mark.parametrize("kind", EventKind)
def test_an_event_of_every_kind_satisfies_the_schema(kind: EventKind) -> None:
    for line in recorded(Event(event=kind), msgspec.structs.replace(full_event(), event=kind)):
        assert CHECK.is_valid(orjson.loads(line))


def test_a_line_without_its_place_or_with_more_than_we_know_does_not_satisfy_the_schema() -> None:
    [line] = recorded(event())
    good = orjson.loads(line)
    for member in ("seq", "prev", "at", "event", "stream"):
        assert not CHECK.is_valid({name: value for name, value in good.items() if name != member}), member
    assert not CHECK.is_valid({**good, "args": {"query": "x"}})


def test_what_does_not_apply_is_left_out() -> None:
    assert orjson.loads(encode(Event(event=EventKind.TURN_START))) == {"event": "turn_start"}


@pytest.mark.threat("L02")
@given(ANY_TEXT)
def test_any_text_in_every_string_gives_one_harmless_line_that_satisfies_the_schema(text: str) -> None:
    [line] = recorded(full_event(text or "x"))
    assert line.decode().isprintable()
    assert len(line.decode().splitlines()) == 1
    assert CHECK.is_valid(orjson.loads(line))


@pytest.mark.threat("L02")
@pytest.mark.parametrize(
    "text", ["a\nb", "\r\n", "\x1b[31mred", "\x9b31m", "nul\0", "\x7f", "\u2028", "\u202e", "\U000e0041"]
)
def test_what_moves_a_cursor_or_hides_is_escaped_and_reads_back_the_same(text: str) -> None:
    [line] = recorded(full_event(text))
    assert text.encode() not in line
    back = decode(line)
    assert {back.user, back.tool, back.call_id, back.rule, *back.records} == {text}
    assert back.facts is not None
    assert back.facts[text] == text


def test_text_of_other_languages_stays_readable() -> None:
    assert "Zoë 東京".encode() in encode(full_event("Zoë 東京"))


@pytest.mark.threat("V05")
def test_half_a_surrogate_pair_is_written_as_its_escape() -> None:
    assert decode(recorded(full_event("a\ud800"))[0]).user == "a\\ud800"


@pytest.mark.parametrize("size", [TEXT_LIMIT, TEXT_LIMIT + 1, 100_000])
def test_long_text_is_cut_and_shows_it(size: int) -> None:
    user = decode(recorded(full_event("é" * size))[0]).user
    assert len(user) == TEXT_LIMIT
    assert user.endswith("é" if size == TEXT_LIMIT else "…")


def test_lists_and_facts_are_bounded() -> None:
    many = tuple(map(str, range(1000)))
    long = Event(event=EventKind.TOOL_EVENT, records=many, intents=many, facts=dict.fromkeys(many, 1))
    back = decode(recorded(long)[0])
    assert (len(back.records), len(back.intents), len(back.facts or ())) == (LIST_LIMIT, LIST_LIMIT, FACTS_LIMIT)


@pytest.mark.threat("L01")
@pytest.mark.parametrize("value", [{"password": "MARKER"}, ["MARKER"], ("MARKER",), b"MARKER", Exception("MARKER")])
def test_a_fact_that_is_no_scalar_is_named_by_its_type_only(value: Any) -> None:
    [line] = recorded(Event(event=EventKind.TOOL_EVENT, name="logged", facts={"value": value}))
    assert b"MARKER" not in line
    assert orjson.loads(line)["facts"]["value"] == f"a value of type {type(value).__name__}"


@pytest.mark.threat("L01")
def test_an_event_has_no_member_that_holds_arguments_or_results() -> None:
    assert not {"args", "arguments", "data", "result", "input", "message"} & set(Line.__struct_encode_fields__)


@pytest.mark.threat("L06")
@pytest.mark.parametrize("reason", ErrorType)
def test_a_refusal_says_who_asked_what_and_which_rule_refused_it(reason: ErrorType) -> None:
    refusal = msgspec.structs.replace(full_event("given"), error_type=reason)
    told = orjson.loads(recorded(refusal)[0])
    who_and_what = ("tenant", "user", "session", "conversation", "tool", "argsHash", "registryVersion", "key", "rule")
    assert [told[name] for name in who_and_what] == ["given"] * len(who_and_what)
    assert (told["event"], told["turn"], told["ok"], told["errorType"]) == ("call_refused", 2, False, reason)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (2**70, "an integer beyond 2**53"),
        (7, 7),
        (None, None),
        (False, False),
    ],
)
def test_numbers_that_json_cannot_carry_are_told_in_words(value: Any, kept: Any) -> None:
    assert orjson.loads(encode(Event(event=EventKind.TOOL_EVENT, facts={"n": value})))["facts"]["n"] == kept


@given(st.builds(full_event, st.text(min_size=1, max_size=250)))
def test_an_event_of_ordinary_size_reads_back_as_it_was(given_event: Event) -> None:
    back = decode(recorded(given_event)[0])
    assert all(getattr(back, name) == getattr(given_event, name) for name in Event.__struct_fields__)

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.capabilities.kb.record import (
    MAX_TEXT_BYTES,
    Record,
    RecordError,
    content_hash,
    instant,
    micros,
    parse_record,
)

WHEN = "2026-03-01T09:30:00Z"
LEAST = {"id": "person:ada-okafor", "title": "Ada Okafor"}


def parsed(**fields: Any) -> Record:
    return parse_record({**LEAST, **fields}, default_updated=WHEN)


def nested(levels: int) -> dict[str, Any]:
    """A table in a table in a table."""
    return {"a": nested(levels - 1)} if levels > 1 else {}


def test_an_id_and_a_title_are_enough() -> None:
    assert parsed() == Record(
        id="person:ada-okafor", type="person", namespace="studio", title="Ada Okafor", last_updated=WHEN
    )


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("id", "ada", "is not type:slug"),
        ("id", "robot:ada", "types: project, person"),
        ("id", "person:Ada Okafor", "is not type:slug"),
        ("type", "doc", "make them agree"),
        ("type", "robot", "is none of project"),
        ("namespace", "Studio!", "lower-case word"),
        ("title", "", "is empty"),
        ("title", "x" * 301, "at most 300"),
        ("title", 7, "must be text"),
        ("text", "x" * (10 << 20), "at most 1,048,576"),
        ("text", "é" * (MAX_TEXT_BYTES - 1), "at most 1 MiB"),
        ("text", "a\0b", "U+0000 at position 1"),
        ("text", "a\ud800b", "U+D800 at position 1"),
        ("tags", "hr", "must be a list"),
        ("tags", ["x"] * 21, "at most 20"),
        ("tags", ["x" * 61], "at most 60"),
        ("tags", [" "], "one of them is empty"),
        ("url", "javascript:alert(1)", "https:// or http://"),
        ("url", "file:///etc/passwd", "https:// or http://"),
        ("source_type", "", "lower-case word"),
        ("last_updated", "yesterday", "no date-time such as"),
        ("last_updated", 2026, "no date-time such as"),
        ("metadata", ["a"], "must be a table"),
        ("metadata", {"a": "x" * (16 << 10)}, "at most 16 KiB"),
        ("metadata", {"a": object()}, "cannot be kept as JSON"),
        ("metadata", {"a": "\0"}, "U+0000"),
        ("metadata", {"__proto__": 1}, "begins with two underscores"),
        ("metadata", {"a": [{"__class__": 1}]}, "begins with two underscores"),
        ("metadata", {"n": 10**40}, "more than 64 bits"),
        ("metadata", {"n": [-(1 << 63) - 1]}, "more than 64 bits"),
        ("metadata", nested(17), "more than 16 levels deep"),
        ("sources", ["x"] * 51, "at most 50"),
        ("colour", "red", "is no field of a record; put it under metadata"),
    ],
)
def test_what_is_no_record_is_refused_by_field_with_what_to_do(field: str, value: Any, words: str) -> None:
    with pytest.raises(RecordError) as caught:
        parsed(**{field: value})
    assert caught.value.field == field
    assert words in str(caught.value)


def test_metadata_may_hold_whatever_an_answer_can_say() -> None:
    kept = {"n": [(1 << 64) - 1, -(1 << 63)], "deep": nested(15), "_a": {"b__": None}}
    found = parsed(metadata=kept)
    assert found.metadata == kept
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Record) == found


@pytest.mark.parametrize("field", ["id", "title"])
def test_what_is_missing_is_named(field: str) -> None:
    with pytest.raises(RecordError, match="is missing"):
        parse_record({name: value for name, value in LEAST.items() if name != field}, default_updated=WHEN)


def test_an_empty_field_is_as_if_it_were_not_there() -> None:
    assert parsed(url=None, tags=None) == parsed()


@given(st.dictionaries(st.sampled_from([*Record.__struct_fields__, "more"]), st.none() | st.text() | st.integers()))
@settings(max_examples=100)
def test_whatever_is_given_is_a_record_or_a_record_error(raw: dict[str, Any]) -> None:
    try:
        found = parse_record(raw, default_updated=WHEN)
    except RecordError:
        return
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Record) == found


def test_the_order_of_metadata_does_not_change_the_hash_and_its_content_does() -> None:
    assert content_hash(parsed(metadata={"a": 1, "b": 2})) == content_hash(parsed(metadata={"b": 2, "a": 1}))
    assert content_hash(parsed(metadata={"a": 1})) != content_hash(parsed(metadata={"a": 2}))


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)), st.integers(-23, 23))
@settings(max_examples=100)
def test_one_moment_is_kept_the_same_way_whatever_its_zone(moment: datetime, hours: int) -> None:
    utc = moment.replace(tzinfo=UTC)
    elsewhere = utc.astimezone(timezone(timedelta(hours=hours)))
    kept = instant(elsewhere, "last_updated")
    assert kept.endswith("Z")
    assert datetime.fromisoformat(kept) == utc
    assert micros(elsewhere.isoformat(), "start") == micros(kept, "start")


def test_a_later_moment_is_a_larger_number() -> None:
    assert (
        micros("2026-01-01T00:00:00Z", "x")
        < micros("2026-01-01T00:00:00.5Z", "x")
        < micros("2026-01-01T00:00:01Z", "x")
    )


def test_a_date_alone_is_midnight_in_utc() -> None:
    assert parsed(last_updated="2026-03-01").last_updated == "2026-03-01T00:00:00Z"

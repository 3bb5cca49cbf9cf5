"""Nine kinds of bad arguments are refused, and `details` alone is enough to mend them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.arguments.repair import repair
from tests.arguments.schemas import PARAMETERS

from ambidex.arguments.check import ArgumentCheck
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault
from ambidex.dialect.formats import STRING_FORMATS

CHECK = ArgumentCheck(PARAMETERS)
MARKER = "zx-MARKER zx"


def refused(args: dict[str, Any], schema: dict[str, Any] = PARAMETERS) -> Fault:
    fault = ArgumentCheck(schema).check(args)
    assert fault is not None
    assert fault.type is ErrorType.VALIDATION
    assert not fault.retryable
    assert not fault.partial_side_effects
    return fault


def errors(args: dict[str, Any], schema: dict[str, Any] = PARAMETERS) -> list[dict[str, Any]]:
    details = refused(args, schema).details
    assert details is not None
    found: list[dict[str, Any]] = details["errors"]
    return found


def valid(**changes: Any) -> dict[str, Any]:
    return {"query": "founder", "contact": "a@example.com", "filters": {"year": 2020}, **changes}


def properties(**named: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": named}


NINE = {
    "wrong type": (valid(kind=7), "/kind", "type", "string"),
    "string for integer": (valid(top_k="9"), "/top_k", "type", "integer"),
    "out of range": (valid(top_k=99), "/top_k", "maximum", 10),
    "not in enum": (valid(kind="perso"), "/kind", "enum", ["person", "project", "essay"]),
    "too short": (valid(query="x"), "/query", "minLength", 3),
    "too long": (valid(query="x" * 21), "/query", "maxLength", 20),
    "bad format": (valid(contact="nobody"), "/contact", "format", "email"),
    "duplicate items": (valid(fields=["url", "title", "url"]), "/fields", "uniqueItems", True),
    "unknown key": (valid(topk=3), "/topk", "additionalProperties", None),
    "unknown nested key": (valid(filters={"year": 2020, "yaer": 1}), "/filters/yaer", "additionalProperties", None),
    "missing": ({"query": "founder", "contact": "a@b.de", "filters": {}}, "/filters/year", "required", None),
}


@pytest.mark.parametrize("name", NINE)
def test_each_kind_of_bad_argument_is_named_by_pointer_rule_and_limit(name: str) -> None:
    args, pointer, rule, limit = NINE[name]
    assert [(e["pointer"], e["rule"], e.get("limit")) for e in errors(args) if e["rule"] == rule] == [
        (pointer, rule, limit)
    ]


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (valid(top_k=99), "top_k must be at most 10, got 99"),
        (valid(top_k="9"), "top_k must be an integer, got a string"),
        (valid(top_k=3.9), "top_k must be an integer, got 3.9"),
        (valid(top_k=True), "top_k must be an integer, got a boolean"),
        (valid(query="x"), "query must have at least 3 characters, got 1"),
        (valid(kind="perso"), "kind must be one of person, project, essay; did you mean person?"),
        (valid(filters={"year": 1, "plaec": "x"}), "filters.plaec is not a known parameter; did you mean place?"),
        ({"contact": "a@b.de"}, "query is missing: it is required, a string of 3 to 20 characters"),
        (valid(contact="x"), "contact must be in the format email, such as name@example.com"),
        (valid(fields=["url", "url"]), "fields must not hold the same item twice: remove the items at 1"),
        (valid(fields=["url", "tilte"]), "fields[1] must be one of"),
    ],
)
def test_the_message_says_what_to_correct(args: dict[str, Any], sentence: str) -> None:
    assert sentence in refused(args).message


def test_a_valid_call_passes() -> None:
    assert CHECK.check(valid(top_k=3.0, fields=["url"])) is None


def test_the_message_names_five_errors_and_details_twenty_of_all() -> None:
    schema = properties(**{f"p{i:02}": {"type": "integer"} for i in range(30)})
    fault = refused({f"p{i:02}": "x" for i in range(30)}, schema)
    assert fault.message.count("must be an integer") == 5
    assert fault.message.endswith("And 25 more")
    assert fault.details is not None
    assert (len(fault.details["errors"]), fault.details["total"]) == (20, 30)


def test_a_message_stays_within_500_characters() -> None:
    long = {f"a_rather_long_parameter_name_{i}" * 4: {"enum": [f"value{n}" for n in range(90)]} for i in range(9)}
    fault = refused(dict.fromkeys(long, "x"), properties(**long))
    assert len(fault.message) <= 500
    details = fault.details
    assert details is not None
    assert len(details["errors"][0]["limit"]) == 90, "details cut no list short"


def test_errors_come_in_the_same_order_however_the_call_was_written() -> None:
    args = valid(top_k=99, kind="x", ratio=9, zz=1, fields=[1, 2])
    backwards = dict(reversed(list(args.items())))
    assert refused(args) == refused(backwards)


@pytest.mark.threat("V09")
@pytest.mark.parametrize(("value", "passes"), [(True, False), (1.0, True), (1.5, False), ("1", False), (None, False)])
def test_nothing_is_coerced_to_an_integer(value: Any, passes: bool) -> None:
    assert (CHECK.check(valid(top_k=value)) is None) == passes


BAD_FORMATS = {
    "email": "a@",
    "idn-email": "nobody",
    "date-time": "2026-01-31 09:30",
    "date": "2026-02-30",
    "time": "25:00:00Z",
    "duration": "30 minutes",
    "uri": "/page",
    "uri-reference": "\\\\host",
    "iri": "page",
    "iri-reference": "\\\\host",
    "uri-template": "{id",
    "uuid": "123",
    "ipv4": "256.1.1.1",
    "ipv6": "::g",
    "hostname": "-a-.example",
    "idn-hostname": "-a-.example",
    "json-pointer": "a/b",
    "relative-json-pointer": "/a",
    "regex": "(",
}


@pytest.mark.threat("V07")
@pytest.mark.parametrize("name", STRING_FORMATS)
def test_every_format_is_asserted_and_its_example_satisfies_it(name: str) -> None:
    schema = properties(x={"type": "string", "format": name})
    [error] = errors({"x": BAD_FORMATS[name]}, schema)
    assert (error["rule"], error["limit"]) == ("format", name)
    assert ArgumentCheck(schema).check({"x": error["example"]}) is None


@pytest.mark.threat("V13")
@pytest.mark.parametrize("value", ["2026-01-31T09:30:00", "2026-01-31", "2026-02-30T09:30:00Z", "0000-13-01T00:00:00Z"])
def test_a_date_time_needs_its_zone_and_a_real_day(value: str) -> None:
    assert errors({"at": value}, properties(at={"type": "string", "format": "date-time"}))[0]["rule"] == "format"


@pytest.mark.threat("V06")
def test_a_pattern_that_would_backtrack_is_matched_in_linear_time() -> None:
    schema = properties(x={"type": "string", "pattern": "^(a+)+$"})
    assert errors({"x": "a" * 10_000 + "!"}, schema)[0]["rule"] == "pattern"
    assert errors({"x": "a\n"}, properties(x={"type": "string", "pattern": "^a$"}))[0]["limit"] == "^a$"


@pytest.mark.threat("V08")
def test_many_items_that_must_be_unique_are_told_apart() -> None:
    schema = properties(x={"type": "array", "uniqueItems": True})
    items: list[Any] = [{"n": n} for n in range(2000)]
    assert ArgumentCheck(schema).check({"x": items}) is None
    assert errors({"x": [*items, {"n": 7.0}]}, schema)[0]["duplicates"] == [2000]


@pytest.mark.threat("V11")
@pytest.mark.parametrize(
    "args",
    [
        valid(kind=MARKER),
        valid(contact=MARKER),
        valid(query=MARKER * 3),
        valid(fields=[MARKER, MARKER]),
        valid(filters={"year": MARKER}),
        valid(filters={"year": 2000, MARKER: 1}),
        valid(**{MARKER: MARKER}),
        valid(top_k={MARKER: MARKER}),
        valid(fields={MARKER: 1}),
    ],
)
def test_what_a_model_wrote_is_never_repeated(args: dict[str, Any]) -> None:
    fault = refused(args)
    assert "MARKER" not in f"{fault.message}{fault.details}"


@pytest.mark.threat("V11")
def test_a_key_of_an_open_object_is_not_repeated_either() -> None:
    schema = properties(labels={"type": "object", "additionalProperties": {"type": "integer"}})
    [error] = errors({"labels": {MARKER: "x"}}, schema)
    assert (error["pointer"], error["rule"]) == ("/labels", "type")
    assert refused({"labels": {MARKER: "x"}}, schema).message.startswith("a value inside labels must be an integer")


def test_an_unknown_key_that_is_no_name_is_described() -> None:
    [error] = errors(valid(**{"x" * 65: 1}))
    assert error["pointer"] == ""
    assert error["nameLength"] == 65
    assert error["allowed"] == list(PARAMETERS["properties"])


def test_an_object_without_any_property_names_each_unknown_key() -> None:
    found = errors({"empty": {"a": 1, "b": 2}}, properties(empty={"type": "object", "additionalProperties": False}))
    assert [(e["pointer"], e["rule"], e["allowed"]) for e in found] == [
        ("/empty/a", "additionalProperties", []),
        ("/empty/b", "additionalProperties", []),
    ]


FILE = {"properties": {"kind": {"const": "file"}, "path": {"type": "string"}}, "required": ["kind", "path"]}
LINK = {"properties": {"kind": {"const": "link"}, "url": {"type": "string"}}, "required": ["kind", "url"]}


@pytest.mark.parametrize("choice", ["anyOf", "oneOf"])
def test_of_several_forms_the_nearest_is_explained(choice: str) -> None:
    forms = [{"type": "object", **FILE}, {"type": "object", **LINK}, {"type": "null"}]
    found = errors({"source": {"kind": "link", "url": 3}}, properties(source={choice: forms}))
    assert [(e["pointer"], e["rule"], e["limit"]) for e in found] == [("/source/url", "type", "string")]


def test_a_value_of_none_of_the_types_is_told_all_of_them() -> None:
    [error] = errors({"x": True}, properties(x={"anyOf": [{"type": "string"}, {"type": "object"}]}))
    assert (error["rule"], error["limit"], error["got"]) == ("type", ["string", "object"], "boolean")


def test_a_value_that_fits_two_forms_of_one_of_is_told_which() -> None:
    [error] = errors({"x": "abc"}, properties(x={"oneOf": [{"minLength": 1}, {"maxLength": 9}, {"type": "null"}]}))
    assert (error["rule"], error["matching"]) == ("oneOf", [0, 1])


RARE: list[tuple[dict[str, Any], Any, str, str]] = [
    ({"const": 3}, 4, "/x", "const"),
    ({"type": "number", "exclusiveMaximum": 3}, 3, "/x", "exclusiveMaximum"),
    ({"type": "integer", "multipleOf": 5}, 7, "/x", "multipleOf"),
    ({"type": "array", "maxItems": 1}, [1, 2], "/x", "maxItems"),
    ({"type": "object", "minProperties": 1}, {}, "/x", "minProperties"),
    ({"not": {"type": "string"}}, "s", "/x", "not"),
    ({"type": "array", "contains": {"const": 1}}, [2], "/x", "contains"),
    ({"type": "array", "contains": {"const": 1}, "maxContains": 1}, [1, 1], "/x", "maxContains"),
    ({"type": "array", "prefixItems": [{"type": "integer"}], "items": False}, [1, 2], "/x/1", "items"),
    ({"type": "object", "propertyNames": {"maxLength": 2}}, {"abc": 1}, "/x/abc", "propertyNames"),
    (
        {"type": "object", "properties": {"a": {}}, "unevaluatedProperties": False},
        {"b": 1},
        "/x/b",
        "unevaluatedProperties",
    ),
    ({"type": "object", "dependentRequired": {"a": ["b"]}}, {"a": 1}, "/x/b", "dependentRequired"),
    ({"if": {"type": "string"}, "then": {"minLength": 5}}, "abc", "/x", "minLength"),
    ({"allOf": [{"type": "string"}, {"minLength": 4}]}, "abc", "/x", "minLength"),
    ({"$ref": "#/$defs/small"}, 9, "/x", "maximum"),
    ({"type": "object", "properties": {"a": False}}, {"a": 1}, "/x/a", "false"),
    ({"type": "object", "properties": {"type": False}}, {"type": 1}, "/x/type", "false"),
    ({"type": "array", "prefixItems": [{}], "unevaluatedItems": False}, [1, 2], "/x", "unevaluatedItems"),
    ({"type": "integer", "format": "int32"}, 2**40, "/x", "maximum"),
]


@pytest.mark.parametrize(("schema", "value", "pointer", "rule"), RARE, ids=lambda part: str(part)[:40])
def test_every_keyword_is_explained_by_place_and_rule(schema: Any, value: Any, pointer: str, rule: str) -> None:
    whole = {**properties(x=schema), "$defs": {"small": {"type": "integer", "maximum": 3}}}
    assert [(e["pointer"], e["rule"]) for e in errors({"x": value}, whole)] == [(pointer, rule)]


def test_what_is_missing_under_all_of_is_described_by_the_properties_beside_it() -> None:
    schema = properties(a={"type": "integer", "minimum": 4}) | {"allOf": [{"required": ["a"]}]}
    [error] = errors({}, schema)
    assert error["expected"] == {"type": "integer", "minimum": 4}


VALID = st.fixed_dictionaries(
    {"query": st.text("abc ", min_size=3, max_size=20), "contact": st.just("a@example.com")},
    optional={
        "top_k": st.integers(1, 10),
        "ratio": st.floats(0, 1),
        "kind": st.sampled_from(["person", "project", "essay"]),
        "fields": st.lists(st.sampled_from(["title", "snippet", "full_text", "url"]), min_size=1, unique=True),
        "filters": st.fixed_dictionaries({"year": st.integers(1900, 2100)}, optional={"place": st.just("Paris")}),
    },
)

Damage = Callable[[dict[str, Any]], None]
DAMAGES: dict[str, Damage] = {
    "wrong type": lambda args: args.update(kind=[1]),
    "string for integer": lambda args: args.update(top_k="7"),
    "too large": lambda args: args.update(top_k=1000),
    "too small": lambda args: args.update(ratio=-0.5),
    "not in enum": lambda args: args.update(kind="elephant"),
    "too short": lambda args: args.update(query=args["query"][:1]) if args.get("query") else None,
    "too long": lambda args: args.update(query="q" * 300),
    "bad format": lambda args: args.update(contact="nowhere"),
    "duplicates": lambda args: args.update(fields=["url", "title", "url", "url"]),
    "unknown": lambda args: args.update(verbose=True),
    "unknown, unspeakable": lambda args: args.update({"not a name": 1}),
    "unknown nested": lambda args: args.update(filters={"year": 2000, "month": 5}),
    "missing": lambda args: args.pop("query", None) and None,
    "missing nested": lambda args: args.update(filters={}),
    "wrong type nested": lambda args: args.update(filters={"year": "1999", "place": 5}),
}


@settings(max_examples=150, deadline=None)
@given(VALID, st.lists(st.sampled_from(sorted(DAMAGES)), min_size=1, max_size=5, unique=True))
def test_a_program_that_reads_only_details_mends_any_damaged_call_within_three_rounds(
    args: dict[str, Any], damages: list[str]
) -> None:
    assert CHECK.check(args) is None
    call = copy.deepcopy(args)
    for name in damages:
        DAMAGES[name](call)
    assert CHECK.check(call) is not None
    for _ in range(3):
        fault = CHECK.check(call)
        if fault is None:
            return
        assert fault.details is not None
        call = repair(call, fault.details)
    assert CHECK.check(call) is None

"""What a model may send as a call and a handler give as its answer, through the whole pipeline."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.apps import ANN, Workshop, error_of, one, running
from tests.support.folders import GUIDE

import ambidex
from ambidex import ErrorType, Orchestrator, Registry, ToolCall, ToolResponse, shipped
from ambidex.audit.log import StoreLog
from ambidex.contracts.envelope import envelope_problems
from ambidex.ledger.spaces import CALLS, REFUSED
from ambidex.session.session import Session
from ambidex.testing import FakeClock

KiB = 1024
WIDE = {
    "type": "object",
    "properties": {
        "any": {"type": "object", "properties": {"known": {"type": "string"}}},
        "text": {"type": "string"},
        "count": {"type": "integer", "minimum": 0},
        "list": {"type": "array", "items": {"type": "integer"}, "default": [1, 2]},
        "email": {"type": "string", "format": "email"},
        "at": {"type": "string", "format": "date-time"},
        "day": {"type": "string", "format": "date"},
        "uri": {"type": "string", "format": "uri"},
        "uuid": {"type": "string", "format": "uuid"},
        "ipv4": {"type": "string", "format": "ipv4"},
        "ipv6": {"type": "string", "format": "ipv6"},
        "color": {"type": "string", "enum": ["red", "green"]},
        "code": {"type": "string", "pattern": "^[a-z]{3}$"},
    },
    "additionalProperties": False,
}
GIVING_BACK = """\
from ambidex import ok

async def execute(args, context):
    seen = {name: type(value).__name__ for name, value in args.items()}
    if "list" in args:
        seen["items"] = list(args["list"])
        if isinstance(args["list"], list):
            args["list"].append(99)
    return ok({**args, "seen": seen})
"""
MAKING = """\
from ambidex import ok

async def execute(args, context):
    with open({path!r}, "a") as effects:
        effects.write("x")
    return ok({value})
"""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    shop = Workshop(tmp_path_factory.mktemp("parsing"))
    shop.tool("echo", handler=GIVING_BACK, parameters=WIDE, guide=GUIDE.replace('{"name": "Ada"}', "{}"))
    return shop.build()


@pytest.fixture(params=["memory", "sqlite"])
async def app(request: pytest.FixtureRequest, registry: Registry, tmp_path: Path) -> AsyncIterator[Orchestrator]:
    store = "memory:" if request.param == "memory" else f"sqlite:{tmp_path / 'calls.db'}"
    async with running(registry, store=store) as made:
        yield made


async def speaking(app: Orchestrator) -> Session:
    session = await app.open(mode="text", user=ANN)
    await session.begin_turn("please")
    return session


async def every_way(session: Session, name: Any, raw: bytes | None, mapping: Any = None) -> list[ToolResponse]:
    """The same call as bytes, text and mapping, by both entries; each in a turn of its own, each answered."""
    ways: list[Any] = []
    if raw is not None:
        ways += [raw, raw.decode("utf-8", "surrogateescape")]
    if mapping is not None:
        ways.append(mapping)
    answers = []
    for way in ways:
        await session.begin_turn("again")
        [answer] = await session.answer([ToolCall(name=name, args=way)])
        await session.begin_turn("again")
        encoded = await session.answer_json(name, way)
        assert encoded.startswith(b'{"ok":')
        whole = json.loads(encoded)
        assert envelope_problems(whole) == []
        assert (whole["ok"], whole.get("error", {}).get("type")) == (
            answer.ok,
            answer.error and str(answer.error.type),
        )
        answers.append(answer)
    return answers


async def all_refused(
    session: Session, raw: bytes | None, mapping: Any = None, rule: str | None = None
) -> list[ToolResponse]:
    answers = await every_way(session, "echo", raw, mapping)
    assert {error_of(answer) for answer in answers} == {"VALIDATION"}
    for answer in answers:
        assert answer.error is not None
        assert not answer.error.retryable
        assert not answer.error.partial_side_effects
        assert len(answer.error.message) <= 500
        assert answer.error.details is not None
        assert rule in (None, answer.error.details["errors"][0]["rule"])
    return answers


async def all_run(session: Session, raw: bytes | None, mapping: Any = None) -> list[ToolResponse]:
    answers = await every_way(session, "echo", raw, mapping)
    assert {error_of(answer) for answer in answers} == {"ok"}
    return answers


def nested(levels: int) -> Any:
    """A value that makes arguments of `levels` levels, the arguments themselves being the first."""
    value: Any = 1
    for _ in range(levels - 2):
        value = [value]
    return {"any": {"v": value}}


def nested_text(levels: int) -> bytes:
    return b'{"any":{"v":' + b"[" * (levels - 2) + b"1" + b"]" * (levels - 2) + b"}}"


# V01: depth


@pytest.mark.threat("V01")
async def test_arguments_may_be_nested_32_levels_deep_and_no_deeper(app: Orchestrator) -> None:
    session = await speaking(app)
    await all_run(session, nested_text(32), nested(32))
    for levels in (33, 1_000, 30_000):
        await all_refused(session, nested_text(levels), nested(levels), rule="depth")
    await all_refused(session, None, nested(100_000), rule="depth")


@pytest.mark.threat("V01", "H02")
@pytest.mark.parametrize(("levels", "fits"), [(32, True), (33, False), (1_000, False), (100_000, False)])
async def test_results_may_be_nested_32_levels_deep_and_no_deeper(tmp_path: Path, levels: int, fits: bool) -> None:
    nest = f"__import__('functools').reduce(lambda inner, _: [inner], range({levels - 1}), [])"
    answer = await made_by(tmp_path, nest)
    assert error_of(answer) == ("ok" if fits else "INTERNAL")


async def made_by(tmp_path: Path, value: str, **fields: Any) -> ToolResponse:
    """What a write whose handler gives this value answers, having left its effect; its row must say that it is done."""
    handler = MAKING.format(path=str(tmp_path / "effects"), value=value)
    registry = Workshop(tmp_path).writing("make", handler=handler, **fields).build()
    async with running(registry) as app:
        session = await speaking(app)
        first = await one(session, "make", id="c1")
        again = await one(session, "make", id="c1")
        [(_, row)] = app._shared.runner.store.run(lambda tx: tx.scan(CALLS))
    assert row.state == "done"
    assert again.meta is not None
    assert again.meta.deduplicated
    assert error_of(again) == error_of(first)
    assert (tmp_path / "effects").read_text() == "x", "the write is never run again"
    if first.error is not None:
        assert first.error.partial_side_effects
    return first


# V02: size


@pytest.mark.threat("V02")
async def test_arguments_may_have_64_kib_and_not_a_byte_more(app: Orchestrator) -> None:
    session = await speaking(app)
    room = 64 * KiB - len('{"text":""}')
    await all_run(session, b'{"text":"%b"}' % (b"x" * room), {"text": "x" * room})
    await all_refused(session, b'{"text":"%b"}' % (b"x" * (room + 1)), {"text": "x" * (room + 1)}, rule="size")
    await all_refused(session, b'{"text":"' + b"x" * 10_000_000 + b'"}', {"any": {"v": [0] * 1_000_000}}, rule="size")
    shared: Any = ["x" * 1000] * 30
    for _ in range(5):
        shared = [shared] * 30
    await all_refused(session, None, {"any": {"v": shared}}, rule="size")


@pytest.mark.threat("V02")
@pytest.mark.parametrize(
    ("value", "cut"),
    [
        ("{'text': 'x' * (256 * 1024 - 11)}", False),
        ("{'text': 'x' * (256 * 1024 - 10)}", True),
        ("{'text': '\\u20ac' * 1_000_000}", True),
        ("[{'id': str(n), 'text': 'long ' * 50} for n in range(10_000)]", True),
        ("{str(n): n for n in range(200_000)}", True),
        ("{'k' * 300_000: 1}", True),
        ("[[['x' * 1000] * 10] * 10] * 20", True),
        ("'\\\\' * 200_000", True),
    ],
)
async def test_a_result_over_256_kib_is_cut_to_valid_json_and_says_so(tmp_path: Path, value: str, cut: bool) -> None:
    answer = await made_by(tmp_path, value)
    assert answer.ok
    assert answer.meta is not None
    assert answer.meta.truncated is cut
    assert any("left out" in notice for notice in answer.notices) is cut
    assert len(msgspec.json.encode(answer.data)) <= 256 * KiB


@pytest.mark.threat("V02", "H02")
@pytest.mark.parametrize(
    ("size", "kind"), [(4 * KiB * KiB, "ok"), (4 * KiB * KiB + 1, "INTERNAL"), (10_000_000, "INTERNAL")]
)
async def test_a_result_over_4_mib_is_a_fault_but_its_write_stays_done(tmp_path: Path, size: int, kind: str) -> None:
    answer = await made_by(tmp_path, f"'x' * ({size} - 2)")
    assert error_of(answer) == kind


@pytest.mark.threat("V02")
async def test_a_failure_is_bounded_as_a_success_is(tmp_path: Path) -> None:
    handler = (
        "from ambidex import fail\nasync def execute(args, context):\n"
        "    return fail('CONFLICT', 'x' * 300_000, details={'all': 'y' * 300_000})\n"
    )
    registry = Workshop(tmp_path).tool("talk", handler=handler).build()
    async with running(registry) as app:
        encoded = await (await speaking(app)).answer_json("talk", b'{"name": "x"}')
    assert json.loads(encoded)["error"]["type"] == "CONFLICT"
    assert json.loads(encoded)["meta"]["truncated"]
    assert len(encoded) < 256 * KiB


# V03: numbers


@pytest.mark.threat("V03")
@pytest.mark.parametrize(
    "literal", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", str(2**64), str(-(2**63) - 1), "9" * 5000]
)
async def test_numbers_that_are_none_are_refused(app: Orchestrator, literal: str) -> None:
    session = await speaking(app)
    rule = "number" if len(literal) < 100 and literal.lstrip("-").isdigit() else "json"
    for template in ('{"any": {"v": %s}}', '{"any": {"v": [[%s]]}}', '{"count": %s}'):
        await all_refused(session, (template % literal).encode(), rule=rule)
    if len(literal) < 100:
        value = float(literal) if not literal.lstrip("-").isdigit() else int(literal)
        await all_refused(session, None, {"any": {"deep": [value]}}, rule="number")


@pytest.mark.threat("V03")
async def test_the_largest_integers_of_64_bits_are_kept_exactly(app: Orchestrator) -> None:
    session = await speaking(app)
    for number in (2**64 - 1, -(2**63), 2**53 + 1):
        for answer in await all_run(session, b'{"any": {"v": %d}}' % number, {"any": {"v": number}}):
            assert answer.data["any"] == {"v": number}


@pytest.mark.threat("V03", "H02")
@pytest.mark.parametrize(
    "value", ["float('nan')", "{'a': [float('inf')]}", "(1, float('-inf'))", "Point(float('nan'))"]
)
async def test_a_result_with_a_number_that_is_none_is_a_fault(tmp_path: Path, value: str) -> None:
    if "Point" in value:
        value = "__import__('dataclasses').make_dataclass('Point', ['x'])(float('nan'))"
    assert error_of(await made_by(tmp_path, value)) == "INTERNAL"


# V04, V05, V10: keys and text


@pytest.mark.threat("V04")
@pytest.mark.parametrize(
    "raw",
    [
        b'{"any":{},"any":{"a":1}}',
        b'{"count":1,"count":1}',
        b'{"any":{"a":1,"a":2}}',
        b'{"any":{"v":[{"a":1,"\\u0061":2}]}}',
        '{"any":{"é":1,"e\u0301":2}}'.encode(),
        b'{"text":"a:b","text":"c"}',
    ],
)
async def test_a_key_that_stands_twice_is_refused(app: Orchestrator, raw: bytes) -> None:
    await all_refused(await speaking(app), raw, rule="duplicateKeys")


@pytest.mark.threat("V05")
@pytest.mark.parametrize(
    ("raw", "mapping"),
    [
        (b'{"text":"\\ud800"}', {"text": "\ud800"}),
        (b'{"text":"\\udc00\\ud800"}', {"text": "\udc00\ud800"}),
        (b'{"text":"\\u0000"}', {"text": "\x00"}),
        (b'{"text":"\x00"}', {"any": {"\x00": 1}}),
        (b'{"text":"\xff"}', {"any": {"\ud800": 1}}),
        (b'{"text":"\xed\xa0\x80"}', {"any": {"v": ["\udfff"]}}),
        (b'{"text":"\xc0\xaf"}', None),
        (b"\xff\xfe", None),
    ],
)
async def test_text_that_is_none_is_refused(app: Orchestrator, raw: bytes, mapping: Any) -> None:
    await all_refused(await speaking(app), raw, mapping)


@pytest.mark.threat("V05")
async def test_halves_of_characters_in_names_ids_and_words_reach_no_store_and_no_audit(app: Orchestrator) -> None:
    session = await app.open(mode="text", user=ANN)
    await session.begin_turn("I said \ud800")
    for name, id in (("echo", "\ud800"), ("\udfffecho", "c1"), ("echo", "\x00"), ("e\x00cho", None)):
        [answer] = await session.answer([ToolCall(name=name, args="{}", id=id)])
        assert error_of(answer) == ("ok" if name == "echo" else "NOT_FOUND")
        msgspec.json.encode(answer)
        assert json.loads(await session.answer_json(name, b"{}", id=id))["ok"] is answer.ok
    assert error_of(await session.approve("\ud800")) == "NOT_FOUND"
    assert error_of(await session.reject("\ud800")) == "NOT_FOUND"
    for line in StoreLog(app._shared.runner.store).read():
        json.loads(line)


@pytest.mark.threat("V10")
@pytest.mark.parametrize("key", ["__class__", "__proto__", "__init__", "__"])
async def test_dangerous_keys_are_refused_wherever_they_stand(app: Orchestrator, key: str) -> None:
    session = await speaking(app)
    values: list[dict[str, Any]] = [{key: 1}, {"any": {key: 1}}, {"any": {"v": [{"deep": {key: {}}}]}}]
    for value in values:
        await all_refused(session, json.dumps(value).encode(), value, rule="keys")
        await all_refused(session, json.dumps(value).replace("__", "\\u005f_").encode(), rule="keys")


@pytest.mark.threat("V10")
@pytest.mark.parametrize("value", ["{'__class__': 1}", "[{'a': {'__proto__': 1}}]", "({'__x': 1},)"])
async def test_a_result_with_a_dangerous_key_is_a_fault(tmp_path: Path, value: str) -> None:
    assert error_of(await made_by(tmp_path, value)) == "INTERNAL"


@pytest.mark.threat("V10")
async def test_two_underscores_in_a_value_are_just_text(app: Orchestrator) -> None:
    await all_run(await speaking(app), b'{"text": "__class__"}', {"text": "__class__"})


# V07, V09: what a schema says


@pytest.mark.threat("V07")
@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("email", "a@b.example", "a.b.example"),
        ("at", "2026-03-03T14:30:00Z", "2026-03-03 14:30"),
        ("at", "2026-03-03T14:30:00+02:00", "2026-02-30T00:00:00Z"),
        ("day", "2024-02-29", "2026-02-29"),
        ("uri", "https://example.org/", "no address"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"),
        ("ipv4", "192.0.2.1", "192.0.2.256"),
        ("ipv6", "2001:db8::1", "2001:::1"),
    ],
)
async def test_formats_are_asserted_when_a_call_is_made(app: Orchestrator, name: str, good: str, bad: str) -> None:
    session = await speaking(app)
    await all_run(session, json.dumps({name: good}).encode(), {name: good})
    for answer in await all_refused(session, json.dumps({name: bad}).encode(), {name: bad}):
        assert answer.error is not None
        assert answer.error.details is not None
        assert answer.error.details["errors"][0]["pointer"] == f"/{name}"
        assert answer.error.details["errors"][0]["rule"] == "format"


@pytest.mark.threat("V09")
async def test_a_boolean_is_no_integer_and_one_point_zero_is_one(app: Orchestrator) -> None:
    session = await speaking(app)
    for raw, value in ((b"true", True), (b'"1"', "1"), (b"1.5", 1.5), (b"null", None), (b"[1]", [1])):
        await all_refused(session, b'{"count": %b}' % raw, {"count": value})
    for answer in await all_run(session, b'{"count": 1.0}', {"count": 1.0}):
        assert answer.data["count"] == 1
        assert answer.data["seen"]["count"] == "int"


@pytest.mark.threat("V03", "V09")
@pytest.mark.parametrize("literal", ["1e16", "1e20", "1e28", "1e29", "1e300"])
async def test_a_float_that_no_longer_names_one_integer_is_refused_as_an_integer(
    app: Orchestrator, literal: str
) -> None:
    session = await speaking(app)
    await all_refused(session, b'{"count": %b}' % literal.encode(), {"count": float(literal)}, rule="type")
    many = b",".join([literal.encode()] * 2_000)
    await all_refused(session, b'{"list": [%b]}' % many, {"list": [float(literal)] * 2_000}, rule="type")


@pytest.mark.threat("V09")
async def test_a_default_that_a_handler_changes_is_fresh_for_the_next_call(app: Orchestrator) -> None:
    session = await speaking(app)
    for _ in range(3):
        await session.begin_turn("again")
        answer = await one(session, "echo", "{}")
        assert answer.data["seen"]["items"] == [1, 2]


RETRIED = """\
from ambidex import fail, ok

seen = []

async def execute(args, context):
    seen.append(list(args["list"]))
    args["list"].append(99)
    return ok({"seen": list(seen)}) if len(seen) > 2 else fail("TRANSIENT", "not yet")
"""


@pytest.mark.threat("V09")
async def test_a_further_attempt_sees_the_arguments_as_they_were(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).tool(
        "echo", handler=RETRIED, parameters=WIDE, guide=GUIDE.replace('{"name": "Ada"}', "{}")
    )
    async with running(shop.build(), clock=FakeClock()) as app:
        answer = await one(await speaking(app), "echo", {"list": [3]})
    assert answer.data == {"seen": [[3], [3], [3]]}


# V11: messages


@pytest.mark.threat("V11")
@pytest.mark.parametrize(
    "args",
    [
        {"color": "MARKER"},
        {"code": "MARKER"},
        {"email": "MARKER"},
        {"count": "MARKER"},
        {"list": ["MARKER"] * 30},
        {"any": {}, "MARKER !": 1},
        {"text": {"MARKER !": "MARKER"}},
        {"at": "MARKER", "day": "MARKER", "uri": "MARKER\nMARKER", "uuid": "MARKER", "ipv4": "MARKER"},
        {"MARKER " + str(number): "MARKER" for number in range(40)},
    ],
)
async def test_a_refusal_quotes_no_string_of_the_call(
    app: Orchestrator, args: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    session = await speaking(app)
    for answer in await all_refused(session, json.dumps(args).encode(), args):
        assert b"MARKER" not in msgspec.json.encode(answer)
        assert answer.error is not None
        assert answer.error.details is not None
        assert len(answer.error.details["errors"]) <= 20
    assert "MARKER" not in caplog.text
    assert b"MARKER" not in b"".join(StoreLog(app._shared.runner.store).read())


@pytest.mark.threat("V11")
@pytest.mark.parametrize("raw", [b'{"text": "MARKER', b"MARKER", b'"MARKER"', b'["MARKER"]', b'{"MARKER": NaN}'])
async def test_text_that_is_no_json_object_is_not_quoted_either(app: Orchestrator, raw: bytes) -> None:
    for answer in await all_refused(await speaking(app), raw):
        assert b"MARKER" not in msgspec.json.encode(answer)
    kept = app._shared.runner.store.run(lambda tx: tx.scan(REFUSED))
    assert kept
    assert all(b"MARKER" not in row.args for _, row in kept)


# V12: names


@pytest.mark.threat("V12")
@pytest.mark.parametrize(
    "name",
    [
        "",
        "Echo",
        "ECHO",
        "echo\n",
        " echo",
        "echo ",
        "echo\x00",
        "echo\u200b",
        "echo\u202e",
        "есho",
        "ｅｃｈｏ",
        "echo()",
        "echo.echo",
        "../echo",
        "__class__",
        "e" * 64,
        "e" * 65,
        "echo" + "x" * 1_000_000,
        None,
        7,
        b"echo",
        ["echo"],
        {"echo": 1},
    ],
)
async def test_only_the_exact_name_calls_a_tool(app: Orchestrator, name: Any) -> None:
    session = await speaking(app)
    answers = await every_way(session, name, b"{}", {})
    for answer in answers:
        assert error_of(answer) == "NOT_FOUND"
        assert answer.meta is not None
        assert len(answer.meta.tool_id) <= 65
    lines = [json.loads(line) for line in StoreLog(app._shared.runner.store).read()]
    assert all(len(line.get("tool", "")) <= 65 for line in lines)


@pytest.mark.threat("V12")
async def test_a_name_that_only_begins_like_a_long_tool_is_not_that_tool(tmp_path: Path) -> None:
    longest = "t" * 64
    registry = Workshop(tmp_path).tool(longest).build()
    async with running(registry) as app:
        session = await speaking(app)
        assert error_of(await one(session, longest)) == "ok"
        assert error_of(await one(session, longest + "t")) == "NOT_FOUND"
        assert error_of(await one(session, longest + "\n")) == "NOT_FOUND"


@pytest.mark.threat("V12")
@pytest.mark.parametrize("id", [7, b"c1", ["c1"], {}, True, "", "\n", "x" * 10_000])
async def test_an_id_of_any_kind_is_answered(app: Orchestrator, id: Any) -> None:
    session = await speaking(app)
    [answer] = await session.answer([ToolCall(name="echo", args="{}", id=id)])
    assert answer.ok
    assert envelope_problems(json.loads(msgspec.json.encode(answer))) == []
    assert answer.meta is not None
    assert answer.meta.call_id == (id if isinstance(id, str) and id else None)


@pytest.mark.threat("V03", "V12")
@pytest.mark.parametrize(
    "args", [None, 7, 1.5, True, [], (), "", b"", "null", "[]", '"text"', object(), {1: 2}, {None: 1}]
)
async def test_arguments_of_any_kind_are_answered(app: Orchestrator, args: Any) -> None:
    session = await speaking(app)
    [answer] = await session.answer([ToolCall(name="echo", args=args)])
    assert error_of(answer) == "VALIDATION"


# V13: dates, at the level of a tool


def datetime_registry(folder: Path) -> Registry:
    ambidex.build(shipped.path() / "tools", folder / "tool_registry.json")
    return ambidex.load(folder / "tool_registry.json")


@pytest.mark.threat("V13")
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("2026-03-03T14:30:00Z", "ok"),
        ("2026-03-03T14:30:00+14:00", "ok"),
        ("0001-01-01T00:00:00Z", "ok"),
        ("9999-12-31T23:59:59Z", "ok"),
        ("2016-12-31T23:59:60Z", None),
        ("2026-03-29T02:30:00+01:00", "ok"),
        ("2026-03-03T14:30:00", "VALIDATION"),
        ("2026-03-03", "VALIDATION"),
        ("0000-01-01T00:00:00Z", "VALIDATION"),
        ("10000-01-01T00:00:00Z", "VALIDATION"),
        ("2026-13-01T00:00:00Z", "VALIDATION"),
        ("2026-02-30T00:00:00Z", "VALIDATION"),
        ("2026-03-03T24:00:00Z", "VALIDATION"),
        ("2026-03-03T14:30:00+25:00", "VALIDATION"),
        ("2026-03-03T14:30:61Z", "VALIDATION"),
        ("٢٠٢٦-03-03T14:30:00Z", "VALIDATION"),
        ("2026-03-03T14:30:00Z\n", "VALIDATION"),
        ("now", "VALIDATION"),
    ],
)
async def test_tricks_with_dates_are_answered_by_a_time_or_a_refusal(
    shipped_registry: Registry, value: str, kind: str | None
) -> None:
    async with running(shipped_registry) as app:
        answer = await one(await speaking(app), "format_datetime", {"value": value, "timezone": "UTC"})
    assert error_of(answer) in ({kind} if kind else {"ok", "VALIDATION"})
    assert error_of(answer) != ErrorType.INTERNAL


@pytest.fixture(scope="module")
def shipped_registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    return datetime_registry(tmp_path_factory.mktemp("shipped"))

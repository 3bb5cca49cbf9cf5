"""Was this very call made before? By id, by what was asked, and across reconnects."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import ANN, BOB, Workshop, call, error_of, one, running, talking
from tests.support.waiting import until

import ambidex
import ambidex.shipped
from ambidex import Orchestrator, User
from ambidex.audit.chain import LINES
from ambidex.session.session import Session
from ambidex.stores.sqlite import SqliteStore

VALUES = {
    "type": "object",
    "properties": {
        "count": {"type": "number", "default": 5},
        "flag": {"type": ["boolean", "number"]},
        "text": {"type": "string"},
    },
    "additionalProperties": False,
}
COUNTS = """\
from pathlib import Path
from ambidex import ok

async def execute(args, context):
    with Path({path!r}).open("a") as effects:
        effects.write("ran\\n")
    return ok({{"text": args.get("text")}})
"""
WAITS = """\
import asyncio
import json
from pathlib import Path
from ambidex import ok

async def execute(args, context):
    with Path({path!r}).open("a") as effects:
        effects.write("ran\\n")
    while not Path({go!r}).exists():
        await asyncio.sleep(0.005)
    return ok({{"done": args["name"]}})
"""


GUIDE = """\
# Pay
## Summary
Pays.
## Preconditions
None.
## Postconditions
Paid.
## Invariants
None.
## Failure Modes
None.
## Examples
```json
{"count": 1}
```
## Common Mistakes
None.
"""


def _any_values(folder: Path, **fields: Any) -> Workshop:
    code = COUNTS.format(path=str(folder / "pay.effects"))
    return Workshop(folder).writing("pay", handler=code, parameters=VALUES, guide=GUIDE, **fields)


async def _again(app: Orchestrator, session: Session) -> Session:
    """The same session after a reconnect."""
    return await app.open(mode=session.mode, user=session.user, resume=session.resume_token)


@pytest.mark.threat("I02")
@pytest.mark.parametrize("store", ["memory:", "sqlite"])
async def test_an_id_used_with_other_arguments_is_a_conflict_before_and_after_the_end(
    tmp_path: Path, store: str
) -> None:
    go = tmp_path / "go"
    handler = WAITS.format(path=str(tmp_path / "pay.effects"), go=str(go))
    shop = Workshop(tmp_path).writing("pay", handler=handler)
    where = store if store == "memory:" else f"sqlite:{tmp_path / 'a.db'}"
    async with talking(shop.build(), store=where) as (_, session, _t):
        first = asyncio.ensure_future(one(session, "pay", {"name": "a"}, "c1"))
        await until(lambda: bool(shop.runs("pay")))
        during = await one(session, "pay", {"name": "b"}, "c1")
        go.touch()
        assert (await first).data == {"done": "a"}
        after = await one(session, "pay", {"name": "b"}, "c1")
        recorded = await one(session, "pay", {"name": "a"}, "c1")
    assert [error_of(during), error_of(after)] == ["CONFLICT", "CONFLICT"]
    assert (recorded.data, recorded.meta and recorded.meta.deduplicated) == ({"done": "a"}, True)
    assert len(shop.runs("pay")) == 1


@pytest.mark.threat("I02")
async def test_of_two_calls_with_one_id_in_a_message_the_second_is_a_conflict(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).writing("pay")
    async with talking(shop.build()) as (_, session, _t):
        answers = await session.answer([call("pay", {"name": "a"}, "c1"), call("pay", {"name": "b"}, "c1")])
    assert [error_of(answer) for answer in answers] == ["ok", "CONFLICT"]
    assert len(shop.runs("pay")) == 1


@pytest.mark.threat("I03")
async def test_without_ids_two_different_questions_get_two_answers(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).reading("look")
    async with talking(shop.build()) as (_, session, _t):
        answers = [await one(session, "look", {"name": name}) for name in ("a", "b")]
    assert [answer.data for answer in answers] == [{"done": "a"}, {"done": "b"}]


@pytest.mark.threat("I03")
@pytest.mark.parametrize("length", [1, 9, 500])
async def test_ids_are_trusted_whatever_their_length(tmp_path: Path, length: int) -> None:
    shop, id = Workshop(tmp_path).reading("look"), "x" * length
    async with talking(shop.build()) as (_, session, _t):
        first, second = [await one(session, "look", None, id) for _ in range(2)]
    assert first.meta is not None
    assert second.meta is not None
    assert (first.meta.deduplicated, second.meta.deduplicated) == (False, True)
    assert len(shop.runs("look")) == 1


@pytest.mark.threat("I03")
@pytest.mark.parametrize("length", [1, 9, 500])
async def test_ids_of_a_provider_that_reuses_them_are_not_trusted_whatever_their_length(
    tmp_path: Path, length: int
) -> None:
    shop, id = Workshop(tmp_path).reading("look"), "x" * length
    async with talking(shop.build()) as (_, _s, transport):
        transport.stable_ids = False
        events = [{"calls": [{"id": id, "name": "look", "args": {"name": name}}]} for name in ("a", "b")]
        answers = [answer for event in events for answer in await transport.handle(event)]
    assert [answer.data for answer in answers] == [{"done": "a"}, {"done": "b"}]


@pytest.mark.threat("I04")
async def test_a_provider_that_restarts_its_ids_collides_only_inside_a_session(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).writing("pay")
    async with talking(shop.build()) as (app, session, _t):
        assert (await one(session, "pay", {"name": "a"}, "1")).ok
        await session.begin_turn("next")
        later_turn = await one(session, "pay", {"name": "b"}, "1")
        beside = await app.open(mode="text", user=ANN, conversation=session.conversation)
        await beside.begin_turn("hello")
        other_session = await one(beside, "pay", {"name": "b"}, "1")
        elsewhere = await app.open(mode="text", user=ANN)
        await elsewhere.begin_turn("hello")
        other_conversation = await one(elsewhere, "pay", {"name": "a"}, "1")
    assert error_of(later_turn) == "CONFLICT"
    assert (other_session.data, other_conversation.data) == ({"done": "b"}, {"done": "a"})
    assert len(shop.runs("pay")) == 3


@pytest.mark.threat("I04")
async def test_the_same_id_of_two_providers_is_two_calls(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).writing("pay")
    async with talking(shop.build()) as (_, session, _t):
        for provider, name in (("openai", "a"), ("gemini", "b")):
            [answer] = await session.answer([call("pay", {"name": name}, "1")], provider=provider)
            assert answer.data == {"done": name}


@pytest.mark.threat("I12")
async def test_a_recorded_answer_is_never_found_by_another_user_or_tenant(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).writing("pay")
    others = (BOB, User("ann", tenant="other"))
    async with talking(shop.build()) as (app, session, _t):
        assert (await one(session, "pay", {"name": "a"}, "c1")).ok
        for user in others:
            theirs = await app.open(mode="text", user=user, conversation=session.conversation)
            await theirs.begin_turn("pay")
            assert theirs.turn == 1, "a conversation of the same name, and yet another one"
            answer = await one(theirs, "pay", {"name": "a"}, "c1")
            assert answer.meta is not None
            assert (answer.ok, answer.meta.deduplicated) == (True, False)
    assert len(set(shop.runs("pay"))) == 3


@pytest.mark.threat("I14")
@pytest.mark.parametrize(
    ("one_way", "other_way", "same"),
    [
        ("{}", '{"count": 5}', True),
        ('{"count": 1}', '{"count": 1.0}', True),
        ('{"count": 1e0}', '{"count": 1}', True),
        ('{"text": "\u00e9"}', '{"text": "e\u0301"}', True),
        ('{"text": "a", "count": 2}', '{"count": 2, "text": "a"}', True),
        ('{"flag": true}', '{"flag": 1}', False),
        ('{"flag": 1}', '{"flag": 1.5}', False),
        ('{"text": "a"}', '{"text": "A"}', False),
    ],
)
async def test_what_means_the_same_is_the_same_call_and_nothing_else_is(
    tmp_path: Path, one_way: str, other_way: str, same: bool
) -> None:
    shop = _any_values(tmp_path)
    async with talking(shop.build()) as (_, session, _t):
        assert (await one(session, "pay", one_way, "c1")).ok
        second = await one(session, "pay", other_way, "c2")
        reused = await one(session, "pay", other_way, "c1")
    assert second.meta is not None
    assert second.meta.deduplicated is same
    assert error_of(reused) == ("ok" if same else "CONFLICT")
    assert len(shop.runs("pay")) == (1 if same else 2)


@pytest.mark.threat("I15")
@pytest.mark.parametrize(("repeatable", "runs"), [(False, 1), (True, 2)])
async def test_an_identical_write_in_a_turn_is_a_duplicate_unless_repeating_is_meant(
    tmp_path: Path, repeatable: bool, runs: int
) -> None:
    shop = Workshop(tmp_path).writing("pay", repeatable=repeatable)
    async with talking(shop.build()) as (_, session, _t):
        answers = [await one(session, "pay", None, id) for id in ("c1", "c2")]
    assert [answer.data for answer in answers] == [{"done": "x"}] * 2
    assert [answer.meta and answer.meta.deduplicated for answer in answers] == [False, not repeatable]
    assert len(shop.runs("pay")) == runs


@pytest.mark.threat("I15")
@pytest.mark.parametrize("id", [None, "c2"])
async def test_an_identical_write_in_a_later_turn_is_a_new_call(tmp_path: Path, id: str | None) -> None:
    shop = Workshop(tmp_path).writing("pay")
    async with talking(shop.build()) as (_, session, _t):
        await one(session, "pay", None, "c1" if id else None)
        await session.begin_turn("once more")
        answer = await one(session, "pay", None, id)
    assert answer.meta is not None
    assert answer.meta.deduplicated is False
    assert len(shop.runs("pay")) == 2


async def test_a_duplicate_says_which_turn_it_was_first_asked_in_and_tells_no_intents_again(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).writing("pay")
    async with talking(shop.build()) as (_, session, _t):
        await one(session, "pay", None, "c1")
        await session.begin_turn("and now")
        again = await one(session, "pay", None, "c1")
    assert again.meta is not None
    assert (again.meta.original_turn, again.meta.turn, again.intents) == (1, 2, ())
    assert again.notices


# Reconnects


@pytest.mark.threat("I05")
@pytest.mark.parametrize("kind", ["reading", "writing", "repeatable"])
async def test_a_call_with_the_same_id_after_a_reconnect_gets_the_recorded_answer_in_whatever_turn(
    tmp_path: Path, kind: str
) -> None:
    shop = _kind(tmp_path, kind)
    async with talking(shop.build()) as (app, session, _t):
        await one(session, "act", None, "c1")
        session = await _again(app, session)
        same_turn = await one(session, "act", None, "c1")
        session = await _again(app, session)
        await session.begin_turn("later")
        later_turn = await one(session, "act", None, "c1")
    for answer in (same_turn, later_turn):
        assert answer.meta is not None
        assert (answer.data, answer.meta.deduplicated) == ({"done": "x"}, True)
    assert len(shop.runs("act")) == 1


@pytest.mark.threat("I05")
async def test_the_last_twenty_events_replayed_on_a_new_socket_run_nothing(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).writing("pay").reading("look")
    events = [
        ("pay" if number % 2 else "look", {"name": str(number)}, f"c{number}" if number % 3 else None)
        for number in range(20)
    ]
    limits = {"limits": {"text": {"total": 50, "retrieval": 50}}}
    async with talking(shop.build(), config=limits) as (app, session, _t):
        first = [await one(session, *event) for event in events]
        session = await _again(app, session)
        second = [await one(session, *event) for event in events]
    assert [answer.data for answer in first] == [answer.data for answer in second]
    assert len(shop.runs("pay")) + len(shop.runs("look")) == 20


@pytest.mark.parametrize("kind", ["reading", "writing", "repeatable"])
@pytest.mark.parametrize("ids", [(None, None), ("c1", "c2"), ("c1", None)])
async def test_what_was_asked_in_this_turn_is_recognised_after_a_reconnect_under_another_id(
    tmp_path: Path, kind: str, ids: tuple[str | None, str | None]
) -> None:
    shop = _kind(tmp_path, kind)
    async with talking(shop.build()) as (app, session, _t):
        await one(session, "act", None, ids[0])
        session = await _again(app, session)
        again = await one(session, "act", None, ids[1])
    assert again.meta is not None
    assert again.meta.deduplicated
    assert len(shop.runs("act")) == 1


@pytest.mark.parametrize("kind", ["reading", "repeatable"])
@pytest.mark.parametrize("ids", [(None, None, None), ("c1", "c2", "c3")])
async def test_each_earlier_call_is_matched_once(
    tmp_path: Path, kind: str, ids: tuple[str | None, str | None, str | None]
) -> None:
    shop = _kind(tmp_path, kind)
    async with talking(shop.build()) as (app, session, _t):
        await one(session, "act", None, ids[0])
        session = await _again(app, session)
        matched = await one(session, "act", None, ids[1])
        new = await one(session, "act", None, ids[2])
    assert [answer.meta and answer.meta.deduplicated for answer in (matched, new)] == [True, False]
    assert len(shop.runs("act")) == 2


async def test_two_identical_reads_are_both_recognised_after_a_reconnect(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).reading("look")
    async with talking(shop.build()) as (app, session, _t):
        for _ in range(2):
            await one(session, "look")
        session = await _again(app, session)
        again = [await one(session, "look") for _ in range(2)]
    assert [answer.meta and answer.meta.deduplicated for answer in again] == [True, True]
    assert len(shop.runs("look")) == 2


async def test_other_arguments_under_an_id_of_an_earlier_epoch_are_a_new_call(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).writing("pay")
    async with talking(shop.build()) as (app, session, _t):
        await one(session, "pay", {"name": "a"}, "c1")
        session = await _again(app, session)
        answer = await one(session, "pay", {"name": "b"}, "c1")
        conflict = await one(session, "pay", {"name": "a"}, "c1")
    assert answer.data == {"done": "b"}
    assert error_of(conflict) == "CONFLICT"


async def test_a_reissued_call_costs_no_budget(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).reading("look")
    async with talking(shop.build(), mode="voice") as (app, session, _t):
        await one(session, "look", {"name": "a"}, "c1")
        session = await _again(app, session)
        for _ in range(3):
            assert (await one(session, "look", {"name": "a"}, "c1")).ok
        assert (await one(session, "look", {"name": "b"}, "c2")).ok
        assert error_of(await one(session, "look", {"name": "c"}, "c3")) == "BUDGET_EXCEEDED"


def _kind(folder: Path, kind: str) -> Workshop:
    shop = Workshop(folder)
    if kind == "reading":
        return shop.reading("act")
    return shop.writing("act", repeatable=kind == "repeatable")


@pytest.mark.threat("I13")
@pytest.mark.parametrize("store", ["memory:", "sqlite"])
async def test_the_intents_of_a_repeated_call_are_applied_once(tmp_path: Path, store: str) -> None:
    code = """\
from ambidex import Intent, ok

async def execute(args, context):
    return ok({}, intents=[Intent("SET_PENDING_MESSAGE", message="remember")])
"""
    where = store if store == "memory:" else f"sqlite:{tmp_path / 'a.db'}"
    registry = Workshop(tmp_path).tool("note", handler=code).build()
    async with running(registry, store=where) as app:
        session = await app.open(mode="text", user=ANN)
        await session.begin_turn("hello")
        answers = await asyncio.gather(*(one(session, "note", None, "c1") for _ in range(5)))
        session = await _again(app, session)
        answers.append(await one(session, "note", None, "c1"))
        assert all(answer.ok for answer in answers)
        assert sum(bool(answer.intents) for answer in answers) == 1
        assert await session.begin_turn("next") == ("remember",)


@pytest.mark.threat("I13")
@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("end_voice_session", {"reason": "user_done", "closing_message": "Goodbye."}),
        ("ignore_user", {"duration_seconds": 60, "farewell_message": "Goodbye."}),
    ],
)
async def test_hanging_up_twice_is_one_transition(tmp_path: Path, tool: str, args: dict[str, Any]) -> None:
    registry = ambidex.load(_shipped(tmp_path))
    store = SqliteStore(tmp_path / "a.db")
    async with talking(registry, mode="voice", store=store) as (_, session, _t):
        answers = await asyncio.gather(*(one(session, tool, args, "c1") for _ in range(4)))
        lines = [json.loads(line) for _, line in store.run(lambda tx: tx.scan(LINES))]
    assert sum(answer.ok and bool(answer.intents) for answer in answers) == 1
    ends = [line for line in lines if line["event"] == "state_transition"]
    ends = [line for line in ends if line["facts"]["intent"] == "END_VOICE_SESSION"]
    assert [line["facts"]["outcome"] for line in ends] == ["applied"]
    assert sum(line["event"] == "block_added" for line in lines) == (tool == "ignore_user")


def _shipped(folder: Path) -> Path:
    return ambidex.build(ambidex.shipped.path() / "tools", folder / "tool_registry.json").path

"""Consent comes from the user's channel only: a model can ask, repeat, guess and forward, and nothing runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.apps import ANN, Workshop, call, error_of, one, running, talking
from tests.support.soak import soak

from ambidex import Orchestrator, Registry
from ambidex.ledger.sessions import digest
from ambidex.session.session import Confirmation, Session
from ambidex.session.views import View
from ambidex.testing import MemoryTransport, run_tool

CALLING = """\
from ambidex import ok

async def execute(args, context):
    answer = await context.call_tool("send", {"name": args["name"]})
    return answer if args["name"] != "wrapped" else ok({"child": answer.ok})
"""
VIEWS: list[View] = ["full", "compact", "payload"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A gated tool, which nothing in this file may get to run, a tool that calls it, and one that only looks."""
    return equipped(tmp_path_factory.mktemp("consent"))


def equipped(root: Path) -> Workshop:
    return Workshop(root).gated().reading().tool("relay", handler=CALLING)


@pytest.fixture(scope="module")
def registry(shared: Workshop) -> Registry:
    return shared.build()


# C01: the model never sees what approves


@pytest.mark.threat("C01")
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("decision", ["approve", "reject"])
async def test_no_byte_that_the_model_is_sent_in_the_whole_flow_holds_a_token(
    tmp_path: Path, view: View, decision: str
) -> None:
    async with talking(equipped(tmp_path).build()) as (_, session, _):
        transport = MemoryTransport(session, view=view)
        event = {"calls": [{"id": "c1", "name": "send", "args": {"name": "ada"}}]}
        await transport.handle(event)
        [first] = await session.confirmations()
        await transport.handle(event)
        [second] = await session.confirmations()
        await transport.handle({"calls": [{"id": "c2", "name": "relay", "args": {"name": "ada"}}]})
        outcome = await getattr(session, decision)(second.token)
        await transport.send_outcome(outcome)
        await transport.handle(event)
        raw = await session.answer_json("send", {"name": "bob"}, id="c3")
    sent = b"\n".join([*transport.to_model, raw])
    for token in (first.token, second.token):
        assert token.encode() not in sent
        assert digest(token).encode() not in sent
        assert all(token[start : start + 8].encode() not in sent for start in range(len(token) - 8))
    assert second.id.encode() in sent, "the handle is told, and redeems nothing"


def strings_in(value: Any) -> Iterator[str]:
    """Every string of a JSON value, names included."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)
    elif isinstance(value, str):
        yield value


MOVES = st.lists(
    st.tuples(
        st.sampled_from(["answer", "answer_json", "batch"]),
        st.sampled_from(["send", "send", "relay", "look", "seen"]),
        st.sampled_from(["value", "name", "whole", "id"]),
        st.integers(0, 3) | st.integers(0, 1000),
        st.sampled_from(["as it is", "as it is", "upper", "reversed", "twice", "cut", "quoted"]),
    ),
    min_size=1,
    max_size=8,
)
"""Entry, tool, where to put the word, which of the words that were seen, and what to do to it."""


def seen_by(transport: MemoryTransport) -> list[str]:
    """Every word that the model was sent; those that look like a key to something come first."""
    words = {text for item in transport.to_model for text in strings_in(msgspec.json.decode(item))}
    return sorted(words, key=lambda word: (" " in word or ":" in word, -len(word), word))


def distorted(text: str, how: str) -> str:
    """What a model might make of something that it has seen."""
    ways = {"upper": text.upper(), "reversed": text[::-1], "twice": text * 2, "cut": text[1:], "quoted": f'"{text}"'}
    return ways.get(how, text)


async def play(session: Session, transport: MemoryTransport, moves: list[tuple[str, str, str, int, str]]) -> None:
    """A model that has read everything it was sent, and sends it back wherever something can be put."""
    for entry, tool, where, pick, how in moves:
        seen = seen_by(transport)
        word = distorted(seen[pick % len(seen)], how)
        name = word if tool == "seen" else tool
        args: Any = {"value": {"name": word}, "name": {"name": "x", word: word}, "whole": word, "id": {"name": "x"}}[
            where
        ]
        made = call(name, args, id=word if where == "id" else None)
        if entry == "answer_json":
            await session.answer_json(made.name, made.args, id=made.id)
        else:
            event = {"calls": [{"id": made.id, "name": made.name, "args": made.args}] * (1 + (entry == "batch"))}
            await transport.handle(event)


@pytest.mark.threat("C01", "C02")
@settings(max_examples=soak(60, 1000), deadline=None)
@given(moves=MOVES)
def test_nothing_that_a_model_has_seen_and_sends_back_runs_what_waits(
    shared: Workshop, registry: Registry, moves: list[tuple[str, str, str, int, str]]
) -> None:
    async def talk() -> None:
        async with talking(registry) as (_, session, transport):
            await transport.handle({"calls": [{"id": "c1", "name": "send", "args": {"name": "ada"}}]})
            await session.confirmations()
            await play(session, transport, moves)

    asyncio.run(talk())
    assert shared.runs("send") == []


@pytest.mark.threat("C01")
@pytest.mark.parametrize("secret", ["token", "handle"])
async def test_even_a_leaked_secret_is_worth_nothing_on_the_models_channel(
    shared: Workshop, registry: Registry, secret: str
) -> None:
    async with talking(registry) as (_, session, transport):
        await one(session, "send", {"name": "ada"}, id="c1")
        [request] = await session.confirmations()
        word = request.token if secret == "token" else request.id
        for args in ({"name": word}, {"name": "ada", "token": word}, {"name": "ada", "confirmation_request": word}):
            await transport.handle({"calls": [{"id": word, "name": "send", "args": args}]})
        for name in (word, "approve", "confirm", "send"):
            await session.answer_json(name, msgspec.json.encode({"name": word, "token": word}), id=word)
        for kind in ("approve", "reject", "approval-response"):
            assert await transport.handle({"type": kind, "token": word, "id": request.id}) == []
        assert request.id in [waiting.id for waiting in await session.confirmations()]
    assert shared.runs("send") == []


@pytest.mark.threat("C01")
async def test_the_handle_that_the_model_knows_approves_nothing_on_the_users_channel_either(
    shared: Workshop, registry: Registry
) -> None:
    async with talking(registry) as (_, session, _):
        asked = await one(session, "send")
        assert asked.error is not None
        assert asked.error.confirmation_request is not None
        handle = asked.error.confirmation_request.id
        assert error_of(await session.approve(handle)) == "NOT_FOUND"
    assert shared.runs("send") == []


# C16: there is one way to run, and the gate is in it


async def by_answer(app: Orchestrator, session: Session) -> str:
    return error_of(await one(session, "send", id="c1"))


async def by_answer_without_id(app: Orchestrator, session: Session) -> str:
    [answer] = await session.answer([call("send")], provider="")
    return error_of(answer)


async def by_batch(app: Orchestrator, session: Session) -> str:
    *_, answer = await session.answer([call("look"), call("send"), call("send")])
    return error_of(answer)


async def by_json(app: Orchestrator, session: Session) -> str:
    return str(msgspec.json.decode(await session.answer_json("send", b'{"name": "x"}'))["error"]["type"])


async def by_another_tool(app: Orchestrator, session: Session) -> str:
    return error_of(await one(session, "relay"))


async def by_another_worker(app: Orchestrator, session: Session) -> str:
    return error_of(await one(await app.attach(session.id, user=ANN), "send"))


async def by_reconnecting(app: Orchestrator, session: Session) -> str:
    resumed = await app.open(mode=session.mode, user=ANN, resume=session.resume_token)
    return error_of(await one(resumed, "send"))


async def by_a_transport(app: Orchestrator, session: Session) -> str:
    [answer] = await MemoryTransport(session).handle({"calls": [{"name": "send", "args": '{"name": "x"}'}]})
    return error_of(answer)


@pytest.mark.threat("C16")
@pytest.mark.parametrize("mode", ["text", "voice"])
@pytest.mark.parametrize(
    "entry",
    [
        by_answer,
        by_answer_without_id,
        by_batch,
        by_json,
        by_another_tool,
        by_another_worker,
        by_reconnecting,
        by_a_transport,
    ],
)
async def test_a_gated_tool_asks_whichever_way_it_is_called(
    shared: Workshop, registry: Registry, entry: Any, mode: str
) -> None:
    async with talking(registry, mode=mode) as (app, session, _):
        assert await entry(app, session) == "CONFIRMATION_REQUIRED"
        [request] = await (await app.attach(session.id, user=ANN)).confirmations()
        assert request.tool == "send"
    assert shared.runs("send") == []


@pytest.mark.threat("C16")
async def test_a_tool_run_for_a_test_asks_as_well(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).gated()
    folder = tmp_path / "tools" / "send"
    assert error_of(await run_tool(folder, {"name": "x"})) == "CONFIRMATION_REQUIRED"
    assert workshop.runs("send") == []
    assert error_of(await run_tool(folder, {"name": "x"}, approve=True)) == "ok"
    assert len(workshop.runs("send")) == 1


@pytest.mark.threat("C16")
async def test_a_child_that_was_asked_for_runs_alone_once_approved(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).gated().tool("relay", handler=CALLING)
    async with talking(workshop.build()) as (_, session, _):
        wrapped = await one(session, "relay", {"name": "wrapped"})
        assert wrapped.data == {"child": False}
        request: Confirmation
        [request] = await session.confirmations()
        outcome = await session.approve(request.token)
        assert outcome.data == {"done": "wrapped"}
        assert outcome.meta is not None
        assert outcome.meta.tool_id == "send"
    assert len(workshop.runs("send")) == 1


@pytest.mark.threat("C16")
async def test_no_entry_of_a_session_takes_consent_but_those_of_the_user(shared: Workshop, registry: Registry) -> None:
    """Every public coroutine of a session, called with what a model could pass: none runs what waits."""
    async with running(registry) as app:
        session = await app.open(mode="text", user=ANN)
        await session.begin_turn("please")
        await one(session, "send")
        await session.begin_turn("yes, approved, go ahead, confirmed")
        await session.cancel(["c1"])
        await session.interrupt()
        assert error_of(await one(session, "send")) == "CONFIRMATION_REQUIRED"
    assert shared.runs("send") == []

"""Offline is a provider like any other: the same events, calls with ids, and a label on what it says."""

from __future__ import annotations

import asyncio
import importlib.util

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.offline.stage import NOW, Stage, call_of, ended

from ambidex import Registry
from ambidex.arguments.prepare import Prepared
from ambidex.config import Config
from ambidex.contracts.call import Mode
from ambidex.errors import MissingExtra
from ambidex.offline.provider import OfflineProvider
from ambidex.offline.talk import LABEL
from ambidex.transports.base import Ask, CallDelta, CallStarted, Finish, StepEvent, TextDelta
from ambidex.transports.items import UserItem


async def test_a_call_is_started_written_and_ended_with_one_id(stage: Stage) -> None:
    events = await stage.step(UserItem(text="who founded the studio?"))
    started, written, end = events
    assert isinstance(started, CallStarted)
    assert isinstance(written, CallDelta)
    assert started.name == "kb_search"
    [call], [asked] = ended(events).calls, ended(events).item.calls
    assert started.id == written.id == call.id == asked.id
    assert written.text == call.args == asked.args
    assert ended(events).finish is Finish.CALLS
    assert end is ended(events)


async def test_text_comes_in_pieces_that_are_the_text(stage: Stage) -> None:
    events = await stage.step(UserItem(text="tell me a joke"))
    pieces = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(pieces) > 1
    assert "".join(pieces) == ended(events).item.text
    assert ended(events).finish is Finish.STOP


async def test_it_says_once_that_it_is_offline(stage: Stage) -> None:
    first, second = await stage.say("hello"), await stage.say("hello")
    assert first.text.startswith(LABEL)
    assert LABEL not in second.text
    assert (first.provider, first.model, stage.provider.model) == ("offline", "offline", "offline")


async def test_ids_differ_when_the_same_is_asked_again(stage: Stage) -> None:
    first = await stage.say("who founded the studio?")
    await stage.answer({"results": [], "nothing_relevant": True})
    second = await stage.say("who founded the studio?")
    assert call_of(first) == call_of(second)
    assert first.calls[0].id != second.calls[0].id


async def test_without_declared_tools_it_only_speaks(stage: Stage) -> None:
    events = await stage.step(UserItem(text="who founded the studio?"), tools=[])
    assert ended(events).calls == ()
    assert "no tool" in ended(events).item.text


async def test_a_tool_that_is_not_declared_is_not_called(stage: Stage, registry: Registry) -> None:
    others = [tool for tool in registry.provider_schemas("mcp", "text") if tool["name"] != "kb_search"]
    events = await stage.step(UserItem(text="who founded the studio?"), tools=others)
    assert "kb_search" not in [call.name for call in ended(events).calls]


async def test_declarations_of_another_providers_form_are_read_too(stage: Stage, registry: Registry) -> None:
    events = await stage.step(
        UserItem(text="who founded the studio?"), tools=registry.provider_schemas("openai", "text")
    )
    assert ended(events).calls[0].name == "kb_search"


def test_a_missing_extra_is_named_at_the_start(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "ambidex.offline.provider.find_spec", lambda name: None if name == "dateparser" else found(name)
    )
    with pytest.raises(MissingExtra, match=r"ambidex\[offline\]"):
        OfflineProvider(registry)


_WISHES = st.sampled_from(
    [
        "search for ",
        "convert ",
        "3pm berlin in ",
        "extract contacts: ",
        "draft an image prompt of ",
        "get doc:x ",
        "call me ",
        "",
    ]
)


@pytest.fixture(scope="module")
def by_words(registry: Registry) -> dict[str, OfflineProvider]:
    config = Config.load(environ={}, overrides={"kb.embedder": "none"})
    return {mode: OfflineProvider(registry, mode, None, config, now=lambda: NOW) for mode in ("text", "voice")}


@given(wish=_WISHES, text=st.text(max_size=120), mode=st.sampled_from(["text", "voice"]))
@example(wish="search for ", text="\0", mode="text")
@settings(max_examples=60, deadline=None)
def test_whatever_is_said_ends_in_words_or_in_a_call_that_its_schema_accepts(
    registry: Registry, by_words: dict[str, OfflineProvider], wish: str, text: str, mode: str
) -> None:
    ask = Ask("", [UserItem(text=wish + text)], registry.provider_schemas("mcp", mode))
    step = ended(asyncio.run(_events(by_words[mode], ask))).item
    assert step.text or step.calls
    for call in step.calls:
        assert isinstance(registry._tool(call.name).plan.prepare(call.args, Mode(mode)), Prepared), call


async def _events(provider: OfflineProvider, ask: Ask) -> list[StepEvent]:
    return [event async for event in provider.step(ask)]


async def test_a_very_long_message_is_read_without_being_searched_through(stage: Stage) -> None:
    pasted = "1:00 in " * 5_000 + "maria@example.org"
    name, args = call_of(await stage.say(f"extract the emails from this text: {pasted}"))
    assert name == "extract_contacts"
    assert args["text"] == pasted[:20_000]

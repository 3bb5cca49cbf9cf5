"""A model that says what a test wrote down, one entry for each step."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import orjson

from ambidex.contracts.call import ToolCall
from ambidex.transports.base import Ask, CallStarted, Facts, Finish, StepEnded, StepEvent, TextDelta
from ambidex.transports.items import Asked, StepItem


def calls(*wanted: tuple[str, str, Mapping[str, Any]]) -> list[tuple[str, str, Mapping[str, Any]]]:
    """A step that asks for these: id, tool, arguments."""
    return list(wanted)


class Scripted:
    """Text, calls, or something to wait for; after the last entry it says "Done."."""

    facts = Facts("scripted", "openai")
    model = "script"

    def __init__(self, *steps: Any) -> None:
        self.steps = list(steps)
        self.asks: list[Ask] = []
        self.closed = False

    async def step(self, ask: Ask) -> AsyncIterator[StepEvent]:
        self.asks.append(ask)
        entry = self.steps.pop(0) if self.steps else "Done."
        text = ""
        while not isinstance(entry, (str, list)):
            if isinstance(entry, Exception):
                raise entry
            if isinstance(entry, asyncio.Event):
                await entry.wait()
                entry = self.steps.pop(0) if self.steps else "Done."
            else:  # words one after another, for as long as there are any
                async for word in entry():
                    text += word
                    yield TextDelta(word)
                entry = ""
        if isinstance(entry, str):
            if entry:
                yield TextDelta(entry)
            yield StepEnded(Finish.STOP, StepItem(provider="scripted", text=text + entry))
            return
        asked = tuple(Asked(id=id, name=name, args=orjson.dumps(args).decode()) for id, name, args in entry)
        for one in asked:
            yield CallStarted(one.id, one.name)
        made = tuple(ToolCall(id=one.id, name=one.name, args=one.args) for one in asked)
        yield StepEnded(Finish.CALLS, StepItem(provider="scripted", text=text, calls=asked), made)

    async def close(self) -> None:
        self.closed = True

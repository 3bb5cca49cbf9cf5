"""What the four HTTP providers share: make one request, read its events, tell the step's end. No retries, no tools."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, cast

from ambidex.contracts.call import ToolCall
from ambidex.transports.base import (
    Ask,
    CallDelta,
    Facts,
    Finish,
    ProviderFault,
    StepEnded,
    StepEvent,
    TextDelta,
)
from ambidex.transports.faults import fault
from ambidex.transports.http import Wire
from ambidex.transports.items import StepItem
from ambidex.transports.nulls import without_nulls
from ambidex.transports.rules import Draft, asked_of, calls_of, finished, new_draft
from ambidex.transports.sse import Event

_DRAIN_SECONDS = 0.2
"""For the last bytes behind the end of a step: once they are read, the connection serves the next one."""


@dataclass(frozen=True, slots=True, repr=False)
class Account:
    """Where a provider is and who pays. Its repr would show the key, so it has none."""

    key: str
    base_url: str
    model: str
    timeout_seconds: float = 60.0


class Reading(ABC):
    """One answer as it comes in. Fed with events, it gives what can be shown; at its end it gives the step."""

    done = False
    """The provider said that this was all."""

    def __init__(self, provider: str, model: str) -> None:
        self.provider = provider
        self.model = model
        self.finish: Finish | None = None
        self.words: list[str] = []
        self.drafts: list[Draft] = []
        self.usage: dict[str, int] = {}
        self.optional: Mapping[str, frozenset[str]] = {}
        """Where nulls mean that a parameter was left out; only strict mode sends such."""

    @abstractmethod
    def feed(self, event: Event) -> Iterator[StepEvent]:
        """Raises `ProviderFault` for an error that came as an event, or for one that cannot be read."""

    @abstractmethod
    def parts(self) -> tuple[dict[str, Any], ...]:
        """What must go back unchanged; none where the neutral form will do."""

    def end(self) -> StepEnded:
        """A stream that broke off before the provider told its end is no step: nothing in it may run."""
        if self.finish is None:
            raise fault(self.provider, "network", detail="the stream broke off")
        finish = finished(self.finish, self.drafts)
        item = StepItem(
            provider=self.provider,
            model=self.model,
            text="".join(self.words),
            calls=asked_of(self.drafts),
            parts=self.parts(),
        )
        calls = tuple(self._without_nulls(call) for call in calls_of(self.drafts, finish))
        return StepEnded(finish, item, calls, self.usage)

    def _without_nulls(self, call: ToolCall) -> ToolCall:
        """What goes back to the model stays as it wrote it; this is for what runs."""
        pointers = self.optional.get(call.name)
        if not pointers or not isinstance(call.args, str):
            return call
        return ToolCall(id=call.id, name=call.name, args=without_nulls(call.args, pointers))

    # For those who read

    def _say(self, words: str) -> Iterator[StepEvent]:
        if words:
            self.words.append(words)
            yield TextDelta(words)

    def _begin(self, id: str, name: str) -> Draft:
        return new_draft(self.drafts, id, name)

    def _write(self, draft: Draft, words: str) -> Iterator[StepEvent]:
        if words:
            draft.pieces.append(words)
            yield CallDelta(draft.id, words)


class HttpProvider(ABC):
    """A `TextProvider` over HTTP."""

    def __init__(self, account: Account, facts: Facts) -> None:
        self._account = account
        self._facts = facts
        self._wire = Wire(facts.name, timeout_seconds=account.timeout_seconds)

    def __repr__(self) -> str:
        return f"<{self.facts.name} {self.model}>"

    @property
    def facts(self) -> Facts:
        return self._facts

    @property
    def model(self) -> str:
        return self._account.model

    async def step(self, ask: Ask) -> AsyncIterator[StepEvent]:
        reading = self._reading(ask)
        events = self._wire.events(self._url(), self._headers(), self._body(ask))
        async with aclosing(cast(AsyncGenerator[Event, None], events)) as coming:
            async for event in coming:
                for shown in reading.feed(event):
                    yield shown
                if reading.done:
                    await _drain(coming)
                    break
        yield reading.end()

    async def close(self) -> None:
        await self._wire.close()

    def _url(self) -> str:
        return self._account.base_url.rstrip("/") + self._path()

    @abstractmethod
    def _path(self) -> str: ...

    @abstractmethod
    def _headers(self) -> dict[str, str]: ...

    @abstractmethod
    def _body(self, ask: Ask) -> dict[str, Any]: ...

    @abstractmethod
    def _reading(self, ask: Ask) -> Reading: ...


async def _drain(events: AsyncIterator[Event]) -> None:
    with suppress(TimeoutError, ProviderFault):
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in events:
                pass

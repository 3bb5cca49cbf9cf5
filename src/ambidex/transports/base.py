"""What every text provider is to the agent: one step of the model as a stream of events.

`step` makes one request and yields what comes back. It runs no tool and retries nothing: the agent does both.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, TypeAlias

from ambidex.contracts.call import ToolCall
from ambidex.session.views import View
from ambidex.transports.items import Item, StepItem


@dataclass(frozen=True, slots=True)
class Facts:
    """What a provider can do."""

    name: str
    """`openai`, `openai-responses`, `gemini`, `anthropic`, `offline`."""
    schemas: str
    """The key of `Registry.provider_schemas`: `openai`, `openaiResponses`, `gemini`, `anthropic`."""
    stable_ids: bool = True
    cancellation: bool = False
    parallel_calls: bool = True
    strict_nulls: bool = False
    """Optional parameters come as null where the authored schema refuses null; this transport takes them out."""
    view: View = "full"


@dataclass(frozen=True, slots=True)
class Ask:
    """One request for one step of the model."""

    system: str
    items: Sequence[Item]
    tools: Sequence[dict[str, Any]]
    """Already in this provider's form; none: the model may only speak."""
    optional: dict[str, frozenset[str]] = field(default_factory=dict)
    """Tool -> JSON pointers of optional parameters that refuse null; for `strict_nulls`."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The model began to write a call; its arguments are not whole yet."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    id: str
    text: str


class Finish(StrEnum):
    STOP = "stop"
    CALLS = "calls"
    LENGTH = "length"
    """Cut: calls of this step are answered with VALIDATION, never run."""
    FILTERED = "filtered"
    PAUSED = "paused"
    """The provider wants the same turn back as it is, and goes on then."""
    ERROR = "error"
    """The step came to no proper end, or the provider found the model's calls unusable."""


@dataclass(frozen=True, slots=True)
class StepEnded:
    """Always the last event of a step that did not raise."""

    finish: Finish
    item: StepItem
    calls: tuple[ToolCall, ...] = ()
    """In the order asked, arguments as raw text; those of a cut step are there too, so that each is answered."""
    usage: dict[str, int] = field(default_factory=dict)
    """`input`, `output`: tokens, where the provider tells."""


StepEvent: TypeAlias = TextDelta | CallStarted | CallDelta | StepEnded

FaultKind: TypeAlias = Literal["rate_limit", "overloaded", "auth", "refused", "network", "protocol"]


class ProviderFault(Exception):
    """A request failed, or its stream broke off."""

    def __init__(
        self,
        kind: FaultKind,
        message: str,
        *,
        retryable: bool,
        retry_after_ms: int | None = None,
        status: int = 0,
        detail: str = "",
        code: str = "",
        param: str = "",
    ) -> None:
        """`message` is ours and safe to show; `detail` is what the provider said, which may quote a key or the user.

        `code` and `param`: the provider's words for what was wrong and where, for its transport to act on.
        """
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.retryable = retryable
        self.retry_after_ms = retry_after_ms
        self.status = status
        self.detail = detail
        self.code = code
        self.param = param


class TextProvider(Protocol):
    """A model that is spoken to over text."""

    @property
    def facts(self) -> Facts: ...
    @property
    def model(self) -> str: ...

    def step(self, ask: Ask) -> AsyncIterator[StepEvent]:
        """Raises `ProviderFault`; anything already yielded by then was only shown, never run."""
        ...

    async def close(self) -> None: ...

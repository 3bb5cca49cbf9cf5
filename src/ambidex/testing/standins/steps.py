"""What a script makes the pretended model do: one step for each request that the service accepts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from ambidex.testing.standins.heard import Heard


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the model makes. `args` as text is sent as it stands, valid or not; without an `id` one is made."""

    name: str
    args: Mapping[str, Any] | str = field(default_factory=dict)
    id: str | None = None

    @property
    def text(self) -> str:
        return self.args if isinstance(self.args, str) else json.dumps(self.args, ensure_ascii=False)

    @property
    def empty(self) -> bool:
        """No arguments: every service has its own way to say so."""
        return self.text.strip() in ("", "{}")


class Ending(StrEnum):
    """How a streamed answer ends."""

    STOP = "stop"
    CALLS = "calls"
    LENGTH = "length"
    FILTERED = "filtered"
    ERROR = "error"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class Message:
    """A streamed answer: words, then calls, then an ending."""

    ending: Ending
    text: str = ""
    calls: tuple[Call, ...] = ()


class Say(Message):
    """Words, and nothing else."""

    def __init__(self, text: str) -> None:
        super().__init__(Ending.STOP, text)


class Calls(Message):
    """One call, or several at once, perhaps with words before them."""

    def __init__(self, *calls: Call, text: str = "") -> None:
        super().__init__(Ending.CALLS, text, calls)


class Truncated(Message):
    """The model ran out of tokens while it wrote the last call; those before it are whole."""

    def __init__(self, *calls: Call, text: str = "") -> None:
        super().__init__(Ending.LENGTH, text, calls)


class Filtered(Message):
    """The service withheld the rest."""

    def __init__(self, text: str = "") -> None:
        super().__init__(Ending.FILTERED, text)


class ErrorMidStream(Message):
    """Everything was streamed, whole calls too, and then came the service's own error instead of an end."""

    def __init__(self, *calls: Call, text: str = "") -> None:
        super().__init__(Ending.ERROR, text, calls)


class Cut(Message):
    """Everything was streamed, whole calls too, and then the connection was gone."""

    def __init__(self, *calls: Call, text: str = "") -> None:
        super().__init__(Ending.CUT, text, calls)


@dataclass(frozen=True, slots=True)
class RateLimited:
    """429, with the time to wait told the way this service tells it; None: not told."""

    retry_after: int | None = 1


@dataclass(frozen=True, slots=True)
class ServerError:
    status: int = 500


Step: TypeAlias = Message | RateLimited | ServerError
Script: TypeAlias = Sequence[Step] | Callable[[Heard], Step]
"""Steps in order, or a function from what the model reads to what it does."""


def next_steps(script: Script) -> Callable[[Heard], Step | None]:
    """The script as a function; None when a list has come to its end."""
    if callable(script):
        return script
    rest = iter(script)
    return lambda _: next(rest, None)

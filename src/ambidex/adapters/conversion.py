"""What an adapter answers: the schema as a provider takes it, what was lost on the way, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Outcome = Literal["convert", "strict", "nonstrict", "passthrough", "error"]


@dataclass(frozen=True, slots=True)
class Loss:
    """One constraint that the provider will not see as written. The validator still enforces it at run time."""

    path: str
    """A JSON pointer into the authored schema."""
    why: str


@dataclass(frozen=True, slots=True)
class Conversion:
    """The answer of one adapter for one schema. Values may be shared with the authored schema: read, never change."""

    outcome: Outcome
    schema: dict[str, Any] | None = None
    """None after an error, and for a tool without arguments where the provider wants its parameters left out."""
    losses: tuple[Loss, ...] = ()
    error_path: str | None = None
    why: str | None = None
    """The reason of an error, or of the first loss that kept a schema from being strict."""

    @property
    def warn_paths(self) -> tuple[str, ...]:
        """Where each constraint that is not carried over was authored."""
        return tuple(loss.path for loss in self.losses)


class Unfit(Exception):
    """Raised inside an adapter for a schema that it cannot carry; `convert` turns it into an error outcome."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(why)
        self.path = path
        self.why = why


class Losses:
    """Collects losses in the order met; a definition used twice reports once."""

    def __init__(self) -> None:
        self._why: dict[str, str] = {}

    def add(self, path: str, why: str) -> None:
        self._why.setdefault(path, why)

    def __bool__(self) -> bool:
        return bool(self._why)

    def all(self) -> tuple[Loss, ...]:
        return tuple(Loss(path, why) for path, why in self._why.items())

"""A request as the pretended model reads it: the same words for every service, so one script serves them all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Who: TypeAlias = Literal["user", "model", "tool"]


@dataclass(frozen=True, slots=True)
class Line:
    """One thing said, called or answered."""

    who: Who
    text: str
    call_id: str = ""
    name: str = ""
    """Of the tool, for calls and answers, where the service tells it."""

    @property
    def value(self) -> Any:
        """The text as JSON: what a tool answered."""
        return json.loads(self.text)


@dataclass(frozen=True, slots=True)
class Heard:
    body: Mapping[str, Any]
    """The request as it came."""
    system: str
    tools: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def news(self) -> tuple[Line, ...]:
        """What came after the model's own last words."""
        own = [number for number, line in enumerate(self.lines) if line.who == "model"]
        return self.lines[own[-1] + 1 :] if own else self.lines

    @property
    def said(self) -> str:
        """What the user, or the application in the user's place, said since."""
        return "\n".join(line.text for line in self.news if line.who == "user")

    @property
    def answers(self) -> tuple[Line, ...]:
        """What the tools answered since."""
        return tuple(line for line in self.news if line.who == "tool")

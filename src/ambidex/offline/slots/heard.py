"""What was said, and when and where: all that the rules may look at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from ambidex.offline.words import COMMAND, instruction_and_payload, without_courtesy


@dataclass(frozen=True)
class Heard:
    """One message of the user."""

    text: str
    now: datetime
    """With a zone: what "tomorrow" and "at nine" are counted from."""
    region: str = "US"
    """Whose telephone numbers may stand without a country code."""

    @cached_property
    def said(self) -> str:
        """As much of it as a command may be long."""
        return self.text[:COMMAND]

    @cached_property
    def bare(self) -> str:
        return without_courtesy(self.said)

    @cached_property
    def instruction(self) -> str:
        return instruction_and_payload(self.text)[0]

    @cached_property
    def payload(self) -> str | None:
        return instruction_and_payload(self.text)[1]

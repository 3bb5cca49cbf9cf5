"""The state of a session, to look at and to try intents on. Facts are made in the store, when a call ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ambidex.contracts.intents import AnyIntent
from ambidex.ledger.rows import State
from ambidex.ledger.state import Applied, apply
from ambidex.session.frozen import frozen


class StateController:
    """`get`, `snapshot`, `apply`. `mode` cannot be set, by anybody."""

    __slots__ = ("_state", "history")

    def __init__(self, state: State) -> None:
        self._state = state
        self.history: list[tuple[AnyIntent, State, State, Applied]] = []
        """Every intent that was tried here, with the state before and after it."""

    def get(self, name: str) -> Any:
        return self.snapshot()[name]

    def snapshot(self) -> Mapping[str, Any]:
        """Read-only, all the way down, in wire names."""
        shown: Mapping[str, Any] = frozen(msgspec.to_builtins(self._state))
        return shown

    def apply(self, intent: AnyIntent) -> bool:
        """Whether it changed the state; an intent to an ended session never does."""
        before = self._state
        self._state, outcome = apply(before, intent)
        self.history.append((intent, before, self._state, outcome))
        return outcome is Applied.APPLIED

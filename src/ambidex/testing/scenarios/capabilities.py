"""Capabilities that answer as a scenario says."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ambidex.contracts.faults import ErrorType
from ambidex.errors import ToolError
from ambidex.testing.scenarios.kb import scripted_kb

TICKET = {"session_id": "voice-1", "ticket": "t-1"}
_OF_THE_SESSION = frozenset({"messaging", "voice"})


def capabilities_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the application brings: tickets for voice sessions, and whatever else the scenario names."""
    voice = given.get("voice", {})
    brought: dict[str, Any] = {} if voice is None else {"voice": Tickets(voice)}
    for name, answers in given.items():
        if name not in _OF_THE_SESSION and answers is not None:
            brought[name] = scripted_kb(answers) if name == "kb" else Scripted(name, answers)
    return brought


class Tickets:
    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    async def ticket(self, session: object, *, pending_request: str) -> Mapping[str, str]:
        _fail_if(self._given)
        return dict(self._given.get("ticket", TICKET))


class Client:
    """The user's client, when no message reaches it."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    async def send(self, message: Mapping[str, Any]) -> None:
        _fail_if(self._given)


class Scripted:
    """A capability of the application: awaited methods, each with one answer, whatever it is asked."""

    def __init__(self, name: str, answers: Mapping[str, Any]) -> None:
        self._name = name
        self._answers = answers

    def __getattr__(self, method: str) -> Any:
        if method.startswith("_") or method not in self._answers:
            raise AttributeError(f"the scenario gives {self._name} no answer to {method}")
        answer = self._answers[method]

        async def answered(*_: Any, **__: Any) -> Any:
            _fail_if(answer)
            return copy.deepcopy(answer["returns"])

        return answered


def _fail_if(given: Mapping[str, Any]) -> None:
    if failure := given.get("fails"):
        raise ToolError(ErrorType(failure["type"]), failure["message"])

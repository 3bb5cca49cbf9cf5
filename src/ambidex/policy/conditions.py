"""CEL conditions of a registry's tools, compiled on first use and evaluated with the safe answer on failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ambidex.contracts.spec import ToolSpec
from ambidex.dialect.conditions import AVAILABILITY, CONFIRM_WHEN, Condition, ConditionError, compile_condition
from ambidex.ledger.rows import SessionRow


class Conditions:
    """One cache for each registry version; the artifact's conditions were type-checked by the build."""

    __slots__ = ("_compiled",)

    def __init__(self) -> None:
        self._compiled: dict[tuple[str, str], Condition | None] = {}

    def available(self, tool: ToolSpec, session: SessionRow, config: Mapping[str, Any]) -> bool:
        """No condition: yes. A condition that fails: no."""
        if tool.availability is None:
            return True
        condition = self._get(tool, "availability", tool.availability, AVAILABILITY)
        return condition is not None and condition.evaluate(_facts(session, config)) is True

    def asks(
        self, tool: ToolSpec, session: SessionRow, config: Mapping[str, Any], args: Mapping[str, Any], said: str
    ) -> bool:
        """Whether `confirmWhen` wants a person for this very call. A condition that fails: yes."""
        if tool.confirm_when is None:
            return False
        condition = self._get(tool, "confirmWhen", tool.confirm_when, CONFIRM_WHEN)
        facts = {**_facts(session, config), "args": dict(args), "turn": {"input": said}}
        return condition is None or condition.evaluate(facts) is not False

    def _get(self, tool: ToolSpec, field: str, text: str, names: tuple[str, ...]) -> Condition | None:
        place = (tool.tool_id, field)
        if place not in self._compiled:
            try:
                self._compiled[place] = compile_condition(text, names)
            except ConditionError:
                self._compiled[place] = None
        return self._compiled[place]


def _facts(session: SessionRow, config: Mapping[str, Any]) -> dict[str, Any]:
    user, state = session.user, session.state
    return {
        "mode": str(state.mode),
        "user": {
            "id": user.id,
            "tenant": user.tenant,
            "scopes": sorted(user.scopes),
            "namespaces": list(user.namespaces),
            "authenticated": user.authenticated,
        },
        "session": {
            "id": session.id,
            "conversation": session.conversation,
            "mode": str(state.mode),
            "isActive": state.is_active,
            "pendingEndVoiceSession": state.pending_end_voice_session or "",
            "pendingMessages": list(state.pending_messages),
            "shouldSuppressAudio": state.should_suppress_audio,
            "shouldSuppressTranscript": state.should_suppress_transcript,
        },
        "config": _plain(config),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value

"""A handler's context made from a scenario's `given`: the real capabilities where they exist, recorders where not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType, SimpleNamespace
from typing import Any, TypeVar

from ambidex.capabilities.blocks import CallBlocks, MemoryBlocks
from ambidex.capabilities.context import VoiceTicket
from ambidex.capabilities.registry import RegistryView
from ambidex.contracts.call import Mode
from ambidex.contracts.faults import ErrorType
from ambidex.errors import ToolError

T = TypeVar("T")
CONFIG = {"timezone": "UTC", "region": "US", "locale": "en"}
DEFAULT_NOW = "2026-03-02T09:00:00+00:00"


@dataclass
class Traces:
    """What the handler did to the world."""

    sent: list[dict[str, Any]] = field(default_factory=list)
    audit: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Messaging:
    traces: Traces
    failure: Mapping[str, Any] | None = None

    async def send(self, message: Mapping[str, Any]) -> None:
        if self.failure:
            raise ToolError(ErrorType(self.failure["type"]), self.failure["message"])
        self.traces.sent.append(dict(message))


@dataclass
class AuditLog:
    traces: Traces

    def log(self, event: str, **facts: str | int | float | bool | None) -> None:
        self.traces.audit.append({"event": event, **facts})


@dataclass
class Voice:
    active: bool
    tickets: VoiceTicket

    def is_active(self) -> bool:
        return self.active

    async def ticket(self, *, pending_request: str) -> VoiceTicket:
        return self.tickets


@dataclass
class Tools:
    """A registry of what the scenario lists."""

    listed: list[dict[str, Any]]

    def tool_ids(self, mode: Mode | None = None) -> Iterable[str]:
        return [tool["toolId"] for tool in self.listed if mode in (None, *tool["allowedModes"])]

    def documentation(self, tool_id: str) -> str:
        return str(self._tool(tool_id)["documentation"])

    def metadata(self, tool_id: str) -> Mapping[str, Any]:
        return self._tool(tool_id)

    def json_schema(self, tool_id: str) -> Mapping[str, Any]:
        schema: dict[str, Any] = self._tool(tool_id)["parameters"]
        return schema

    def _tool(self, tool_id: str) -> dict[str, Any]:
        return next(tool for tool in self.listed if tool["toolId"] == tool_id)


class PlainContext:
    """The members of `ambidex.capabilities.context.Context` that the shipped handlers use."""

    def __init__(self, tool: str, given: Mapping[str, Any], traces: Traces) -> None:
        now = datetime.fromisoformat(given.get("now", DEFAULT_NOW))
        self.tool = tool
        self.mode = Mode(given["mode"])
        self.user = SimpleNamespace(**{"id": "u1", "tenant": "default", **given.get("user", {})})
        self.conversation = "conversation-1"
        self.session = MappingProxyType({"isActive": True, **given.get("state", {})})
        self.turn = SimpleNamespace(input=given.get("turn", {}).get("input", ""))
        self.deadline = now + timedelta(seconds=5)
        self.idempotency_key = "key-1"
        self.config = MappingProxyType({**CONFIG, **given.get("config", {})})
        self._capabilities = _capabilities(self, given.get("capabilities", {}), traces, now)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._capabilities.get(name) is None:
            raise ToolError(ErrorType.UNAVAILABLE, f"there is no {name} here")
        return self._capabilities[name]

    def has(self, name: str) -> bool:
        return self._capabilities.get(name) is not None

    async def in_thread(self, fn: Callable[..., T], *args: Any) -> T:
        return fn(*args)


def _capabilities(
    context: PlainContext, given: Mapping[str, Any], traces: Traces, now: datetime
) -> dict[str, object | None]:
    voice = given.get("voice", {})
    registry = given.get("registry", {})
    ceiling = given.get("blocks", {}).get("ceilingSeconds")
    built: dict[str, object | None] = {
        "messaging": Messaging(traces, (given.get("messaging") or {}).get("fails")),
        "audit": AuditLog(traces),
        "voice": Voice(voice.get("isActive", False), voice.get("ticket", {"session_id": "voice-1", "ticket": "t-1"})),
        "blocks": CallBlocks(
            MemoryBlocks(lambda: now.astimezone(UTC)), context.user, context.idempotency_key, ceiling_seconds=ceiling
        ),
        "registry": RegistryView(
            Tools(registry.get("tools", [])), lambda tool_id: tool_id not in registry.get("forbidden", [])
        ),
    }
    return built | {name: None for name, answer in given.items() if answer is None}

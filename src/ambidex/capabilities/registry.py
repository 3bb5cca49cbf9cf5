"""The registry as a handler may see it: read-only, and only the tools that this session's user may call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict

from ambidex.contracts.call import Mode
from ambidex.contracts.faults import ErrorType
from ambidex.dialect.nearest import nearest_names
from ambidex.errors import ToolError

_NEAREST = 3


class RegistrySource(Protocol):
    """The part of a loaded registry that this view reads."""

    def tool_ids(self, mode: Mode | None = None) -> Iterable[str]: ...
    def documentation(self, tool_id: str) -> str: ...
    def metadata(self, tool_id: str) -> Mapping[str, Any]: ...
    def json_schema(self, tool_id: str) -> Mapping[str, Any]: ...


class ToolDescription(TypedDict):
    tool_id: str
    summary: str
    documentation: str
    """The whole guide, as authored."""
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments."""
    mode_limits: Mapping[str, Any]
    """Tighter bounds in the mode asked about; empty when there are none."""


def _everything(_: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class RegistryView:
    """The `registry` of a handler's context."""

    source: RegistrySource
    allowed: Callable[[str], bool] = _everything
    """Whether this user may call a tool: its availability and permissions, judged by the pipeline."""

    async def describe(self, tool_id: str, *, mode: Mode) -> ToolDescription:
        """One tool, or `ToolError` NOT_FOUND. A forbidden tool is answered like one that does not exist."""
        visible = [name for name in self.source.tool_ids(mode) if self.allowed(name)]
        if tool_id not in visible:
            raise _not_found(tool_id, visible)
        metadata = self.source.metadata(tool_id)
        return ToolDescription(
            tool_id=tool_id,
            summary=metadata["summary"],
            documentation=self.source.documentation(tool_id),
            parameters=self.source.json_schema(tool_id),
            mode_limits=(metadata.get("modeLimits") or {}).get(mode, {}),
        )


def _not_found(asked: str, visible: list[str]) -> ToolError:
    nearest = nearest_names(asked, visible, most=_NEAREST)
    return ToolError(
        ErrorType.NOT_FOUND,
        "there is no tool of that name that you can call here",
        details={"nearest": nearest},
        suggestion=f"Nearest names: {', '.join(nearest)}."
        if nearest
        else "Use a name from the list of available tools.",
    )

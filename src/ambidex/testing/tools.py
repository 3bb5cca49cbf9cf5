"""Run one tool folder through the whole pipeline: build, load, a session, a turn, a call."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ambidex.compiler.compile import build
from ambidex.contracts.call import Mode, ToolCall
from ambidex.contracts.response import ToolResponse
from ambidex.contracts.user import User
from ambidex.orchestrator import Orchestrator
from ambidex.registry.load import load
from ambidex.testing.transport import MemoryTransport


async def run_tool(
    folder: str | Path,
    args: Mapping[str, Any] | str,
    *,
    mode: Mode | str = Mode.TEXT,
    user: User | None = None,
    said: str = "please",
    capabilities: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
    approve: bool = False,
) -> ToolResponse:
    """The envelope of one call, by default of a user who holds every permission that the tool asks for.

    With `approve`, a confirmation that is asked for is given.
    """
    source = _absolute(folder)
    name = source.name.replace("-", "_")
    with tempfile.TemporaryDirectory(prefix="ambidex-tool-") as place:
        shutil.copytree(source, Path(place) / "tools" / source.name)
        build(Path(place) / "tools", Path(place) / "tool_registry.json")
        registry = load(Path(place) / "tool_registry.json", eager=True)
        # A test never looks into the knowledge base of whoever runs it.
        app = Orchestrator(registry, config=config or {}, capabilities={"kb": None, **(capabilities or {})})
        async with app:
            someone = user or User("tester", scopes=frozenset(registry.metadata(name).get("permissions", ())))
            session = await app.open(mode=mode, user=someone)
            MemoryTransport(session)
            await session.begin_turn(said)
            [answer] = await session.answer([ToolCall(id="call-1", name=name, args=args)])
            requests = await session.confirmations() if approve else []
            return await session.approve(requests[0].token) if requests else answer


def _absolute(folder: str | Path) -> Path:
    """The folder's name is the tool's, so `.` will not do."""
    return Path(folder).resolve()

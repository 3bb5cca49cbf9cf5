"""Helpers for those who write tools, transports and applications: a clock, a transport, a way to run one tool.

Loaded on first use: pytest imports the plugin in here in every run, also in projects that know nothing of Ambidex.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ambidex.testing.clock import FakeClock
    from ambidex.testing.tools import run_tool
    from ambidex.testing.transport import MemoryTransport

_HOMES = {
    "FakeClock": "ambidex.testing.clock",
    "MemoryTransport": "ambidex.testing.transport",
    "run_tool": "ambidex.testing.tools",
}

__all__ = ["FakeClock", "MemoryTransport", "run_tool"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ambidex.testing' has no attribute {name!r}")
    return getattr(import_module(home), name)

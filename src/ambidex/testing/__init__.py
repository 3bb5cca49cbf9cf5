"""Helpers for those who write tools, transports and applications: a clock, a transport, a way to run one tool."""

from ambidex.testing.clock import FakeClock
from ambidex.testing.tools import run_tool
from ambidex.testing.transport import MemoryTransport

__all__ = ["FakeClock", "MemoryTransport", "run_tool"]

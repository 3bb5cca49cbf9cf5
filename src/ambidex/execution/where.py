"""Where code went wrong, for a log at its usual level: the kind of error and the lines, never what the error quotes.

An exception's own words often hold what a user wrote; those are logged for whoever turns debugging on.
"""

from __future__ import annotations

import traceback

_FRAMES = 5


def where(error: BaseException) -> str:
    """`KeyError at handler.py:12 in execute, …`, innermost frame first."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    lines = [f"{_file(frame.filename)}:{frame.lineno} in {frame.name}" for frame in reversed(frames)]
    return f"{type(error).__name__} at {', '.join(lines)}" if lines else type(error).__name__


def _file(path: str) -> str:
    return "/".join(path.replace("\\", "/").split("/")[-2:])

"""Load a fresh artifact in a child process, as a server would: every handler and every validator."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ambidex.errors import ArtifactError

_CHILD = """
import sys
from ambidex.errors import AmbidexError
from ambidex import load
try:
    load(sys.argv[1], eager=True, tools=sys.argv[2] or None)
except AmbidexError as error:
    sys.exit(str(error))
"""


def verify(artifact: str | os.PathLike[str], tools: str | os.PathLike[str] | None = None) -> None:
    """Raises `ArtifactError` with what the child said. Handlers are imported there, never here."""
    command = [sys.executable, "-c", _CHILD, str(Path(artifact)), str(tools or "")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip() or f"the child process ended with {done.returncode}"
        raise ArtifactError(f"{artifact} does not load: {said}")

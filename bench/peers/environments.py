"""An environment for each peer under `.bench/`, made once for each set of requirements; and running a script in it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from peers import Peer

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
_INSTALL_SECONDS, _RUN_SECONDS = 1_200, 300


def measured(peer: Peer) -> dict[str, Any]:
    """What its script printed, or why there is nothing: one peer's failure stops no other."""
    try:
        return {"name": peer.name, **run(_python_of(peer), peer.script)}
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        return {"name": peer.name, "requirements": list(peer.requirements), "error": why(error)}


def run(python: Path, script: str) -> dict[str, Any]:
    """The one JSON document that a script prints, in its last line."""
    said = _quietly([str(python), str(HERE / script)], _RUN_SECONDS)
    told: dict[str, Any] = json.loads(said.splitlines()[-1] if said else "")
    return told


def _quietly(command: list[str], seconds: int) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds).stdout


def _python_of(peer: Peer) -> Path:
    home = ROOT / ".bench" / peer.script.removeprefix("run_").removesuffix(".py").replace("_", "-")
    python, stamp = home / "bin" / "python", home / "requirements.txt"
    wanted = "\n".join(peer.requirements)
    if not (stamp.exists() and stamp.read_text() == wanted):
        _quietly([sys.executable, "-m", "venv", "--clear", str(home)], _INSTALL_SECONDS)
        _quietly([str(python), "-m", "pip", "install", "--quiet", *peer.requirements], _INSTALL_SECONDS)
        stamp.write_text(wanted)
    return python


def why(error: Exception) -> str:
    """The last line that the failed program wrote; for the whole story, run its script by hand."""
    text = getattr(error, "stderr", None) or str(error)
    lines = [line for line in str(text).splitlines() if line.strip()]
    return lines[-1][:200].replace(str(ROOT), ".") if lines else type(error).__name__

"""The server that `ambidex bench serve` measures: the shipped tools and sample in a folder of its own, one process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import orjson

from ambidex import shipped
from ambidex.errors import AmbidexError, MissingExtra

_SETTINGS = """\
tools = "{home}/tools"
artifact = "tool_registry.json"

[prompts]
directory = "{home}/prompts"

[kb]
sample = "{sample}"
embedder = "{embedder}"

# One user, from one address, asks as fast as it can: what keeps a real one in bounds would be measured otherwise.
[server]
turn_gap_ms = 0
turns_per_minute = 1000000
requests_per_minute = 100000000
"""
_LOG = "server.log"
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Server:
    port: int
    pid: int
    embedder: str

    def resident_bytes(self) -> int | None:
        """Of the process; None where the system does not tell."""
        try:
            pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        except OSError:
            return None
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def cpu_seconds(self) -> float | None:
        """What the process has used so far, in all its threads; None where the system does not tell."""
        try:
            # The name, which may hold anything, ends with the last bracket; user and system time are the 12th and
            # 13th fields after it.
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(folder: Path, embedder: str) -> Iterator[Server]:
    """Ready for requests; ended with the block."""
    if any(find_spec(package) is None for package in ("starlette", "uvicorn")):
        raise MissingExtra("`ambidex bench serve`", "server")
    settings = _SETTINGS.format(home=shipped.path(), sample=shipped.sample(), embedder=embedder)
    (folder / "ambidex.toml").write_text(settings, encoding="utf-8")
    variables = {name: value for name, value in os.environ.items() if not _configures(name)}
    command = [sys.executable, "-m", "ambidex", "serve", "--port", "0", "--provider", "offline", "--json"]
    with (
        (folder / _LOG).open("wb") as log,
        subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=log) as process,
    ):
        try:
            port = _port(process, folder)
            _wait_until_ready(port, process, folder)
            yield Server(port, process.pid, embedder)
        finally:
            process.terminate()


def _configures(name: str) -> bool:
    """A variable that would change what is measured; where models are kept does not."""
    return name.startswith("AMBIDEX_") and name != "AMBIDEX_MODELS_DIRECTORY"


def _port(process: subprocess.Popen[bytes], folder: Path) -> int:
    """From the document that it prints when it listens."""
    assert process.stdout is not None
    document = b""
    while not document.endswith(b"\n}\n"):
        line = process.stdout.readline()
        if not line:
            raise _ended(_logged(folder))
        document += line
    told = orjson.loads(document)
    if not told["ok"]:
        raise _ended(told["error"]["message"])
    return urlsplit(told["url"]).port or 0


def _wait_until_ready(port: int, process: subprocess.Popen[bytes], folder: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while process.poll() is None and time.monotonic() < until:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
            return
        time.sleep(0.02)
    raise _ended(_logged(folder))


def _logged(folder: Path) -> str:
    return (folder / _LOG).read_text(encoding="utf-8", errors="replace").strip()


def _ended(why: str) -> AmbidexError:
    return AmbidexError(f"the server that was to be measured did not start: {why or 'it said nothing'}")

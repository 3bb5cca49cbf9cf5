"""A studio's own project, made as a user makes one, and `ambidex serve` in it as a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.workers import PATHS

from ambidex import shipped
from ambidex.capabilities.kb.embedders.files import models_directory

_TOOL = Path(__file__).parent / "book_room"
_SHIPPED = "kb-search,kb-get,reg-describe"
_SETTINGS = """\
[kb]
sample = "{sample}"
embedder = "{embedder}"

# Tests decide faster than people do.
[server]
turn_gap_ms = 0

[values]
link_hosts = ["brackwater.example", "*.brackwater.example"]
"""
_BOOKINGS = "bookings.txt"
_PATIENCE = 30.0
_MODELS = "AMBIDEX_MODELS_DIRECTORY"


def make_studio(folder: Path, embedder: str = "light") -> Path:
    """`ambidex init`, `ambidex new --writes`, and what an author changes then: a tool that books rooms.

    The small table of vectors comes with a package, so nothing has to be installed first.
    """
    _ambidex(folder.parent, "init", folder.name, "--with", _SHIPPED)
    _ambidex(folder, "new", "book-room", "--writes")
    for name in ("schema.json", "guide.md", "handler.py"):
        shutil.copy(_TOOL / name, folder / "tools" / "book-room" / name)
    (folder / "ambidex.toml").write_text(_SETTINGS.format(sample=shipped.sample(), embedder=embedder))
    return folder


def bookings(folder: Path) -> list[str]:
    """What the tool has written into the studio's book."""
    book = folder / _BOOKINGS
    return book.read_text().splitlines() if book.exists() else []


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The server's address, once it is ready; it is ended as a user ends it, and must end well."""
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "ambidex", "serve", "--port", "0", "--provider", "offline", "--json"],
            cwd=folder,
            env=_environment(folder),
            stdout=subprocess.PIPE,
            stderr=log,
        )
        try:
            url = _address(server)
            _wait_for(f"{url}readyz", server)
            yield url
            server.send_signal(signal.SIGINT)
            assert server.wait(_PATIENCE) == 0
        except Exception as error:
            error.add_note((folder / "server.log").read_text())
            raise
        finally:
            server.kill()
            server.communicate()


def _address(server: subprocess.Popen[bytes]) -> str:
    """From the document that it prints when it listens."""
    assert server.stdout is not None
    document = b""
    while not document.endswith(b"\n}\n"):
        line = server.stdout.readline()
        if not line:
            raise RuntimeError("the server ended before it listened")
        document += line
    return str(json.loads(document)["url"])


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Until it is ready, of which it tells nobody; as long as it lives, and within reason."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and server.poll() is None:
        with suppress(urllib.error.URLError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.02)
    raise RuntimeError(f"the server did not become ready: {address}")


def _ambidex(folder: Path, *words: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "ambidex", *words], cwd=folder, env=_environment(folder), check=True, capture_output=True
    )


def _environment(folder: Path) -> dict[str, str]:
    """No key of this machine's, so that offline is the only provider there is."""
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": PATHS, _MODELS: str(models_directory())}

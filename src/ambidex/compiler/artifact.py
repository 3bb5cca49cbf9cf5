"""The artifact's bytes: assembled from canonical entries, so that nothing is encoded twice, and written atomically."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ambidex.contracts.response import RESPONSE_VERSION
from ambidex.contracts.spec import ARTIFACT_VERSION
from ambidex.dialect.canonical import canonical

WORKPLACE = ".ambidex"
"""The folder beside an artifact for what a build keeps: its cache, a note on the tools folder, unfinished files."""

_TEMPORARY = ".tmp"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a build adds to its contents; none of it counts for the version."""

    git_commit: str | None
    timestamp: str


@dataclass(frozen=True, slots=True)
class Contents:
    """The tools array and what identifies it."""

    tools: bytes
    content_hash: str

    @property
    def version(self) -> str:
        return f"1.0.{self.content_hash[:8]}"


def contents_of(entries: Sequence[bytes]) -> Contents:
    """`entries` are canonical bytes, sorted by toolId."""
    tools = b"[" + b",".join(entries) + b"]"
    return Contents(tools, hashlib.sha256(tools).hexdigest())


def assemble(contents: Contents, stamp: Stamp) -> bytes:
    """RFC 8785 orders members by name; `integrity` covers every byte but its own member."""
    head = b"".join(
        (
            b'{"artifactVersion":' + canonical(ARTIFACT_VERSION),
            b',"buildTimestamp":' + canonical(stamp.timestamp),
            b',"contentHash":' + canonical(contents.content_hash),
            b',"gitCommit":' + canonical(stamp.git_commit) + b",",
        )
    )
    version = canonical(contents.version)
    tail_head = b'"toolResponseVersion":' + canonical(RESPONSE_VERSION) + b',"tools":'
    digest = hashlib.sha256(head)
    for part in (tail_head, contents.tools, b',"version":', version, b"}"):
        digest.update(part)
    integrity = b'"integrity":' + canonical(digest.hexdigest()) + b","
    return b"".join((head, integrity, tail_head, contents.tools, b',"version":', version, b"}"))


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Readers see the old file or the new one, never a part; a killed build leaves the old one."""
    # Beside the target, since a rename is atomic only within one file system; what a kill leaves there is swept later.
    workplace = path.parent if path.parent.name == WORKPLACE else path.parent / WORKPLACE
    workplace.mkdir(parents=True, exist_ok=True)
    _sweep(workplace)
    handle, temporary = tempfile.mkstemp(prefix=f"{path.name}.", suffix=_TEMPORARY, dir=workplace)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if durable and os.name == "posix":
        _sync_directory(path.parent)


def _sweep(workplace: Path) -> None:
    """Remove what builds killed an hour ago or earlier left; a younger file may belong to one that still runs."""
    for left in workplace.glob(f"*{_TEMPORARY}"):
        with contextlib.suppress(OSError):
            if left.stat().st_mtime < time.time() - 3600:
                left.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

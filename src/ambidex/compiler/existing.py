"""The artifact that is on disk already: which build is it, and is it whole?

The registry reads artifacts to run them; here only their identity counts, so nothing of it is decoded.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

_HEAD = re.compile(
    rb'\{"artifactVersion":"[^"]*","buildTimestamp":"[^"]*","contentHash":"([0-9a-f]{64})",'
    rb'"gitCommit":(null|"[^"]*"),("integrity":"([0-9a-f]{64})",)'
)


@dataclass(frozen=True, slots=True)
class Existing:
    problem: str = ""
    """Why it cannot count; empty when it is whole."""
    content_hash: str = ""
    git_commit: str | None = None

    @property
    def version(self) -> str:
        return f"1.0.{self.content_hash[:8]}" if self.content_hash else ""


def read_existing(path: Path) -> Existing:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Existing("does not exist")
    except OSError as error:
        return Existing(f"cannot be read: {error.strerror}")
    head = _HEAD.match(data)
    if head is None:
        return Existing("is not an artifact of this version")
    content_hash, commit, _, integrity = head.groups()
    digest = hashlib.sha256(data[: head.start(3)])
    digest.update(memoryview(data)[head.end(3) :])
    if digest.hexdigest().encode() != integrity:
        return Existing("was altered after it was built", content_hash.decode())
    return Existing("", content_hash.decode(), None if commit == b"null" else commit[1:-1].decode())

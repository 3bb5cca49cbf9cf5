"""What the last build found, so that the next one reads only what changed.

A cache is never trusted with correctness: it is keyed by the compiler itself and by the contents of each folder, and a
missing, damaged or foreign one only costs time. `--check` and `--verify` do without it.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import msgspec

import ambidex
from ambidex.authoring.folder import FileStamp, Folder
from ambidex.compiler.artifact import WORKPLACE, write_atomically
from ambidex.compiler.entry import Compiled

_SETTLED_NS = 2_000_000_000
"""A file changed this shortly before it was read may change again within one tick of the file system's clock."""


class CachedFile(msgspec.Struct, frozen=True, array_like=True):
    stamp: FileStamp
    sha256: str
    settled: bool
    """Whether the stamp was old enough, when the file was read, to prove that it has not changed since."""


class CachedFolder(msgspec.Struct, frozen=True, array_like=True):
    files: dict[str, CachedFile]
    compiled: Compiled


class Cache(msgspec.Struct, array_like=True):
    fingerprint: str = ""
    folders: dict[str, CachedFolder] = {}

    def unchanged(self, folder: Folder) -> CachedFolder | None:
        """The cached folder, when every file is provably the one that was read."""
        cached = self.folders.get(folder.name)
        if cached is None or cached.files.keys() != folder.stamps.keys():
            return None
        for name, stamp in folder.stamps.items():
            file = cached.files[name]
            if not file.settled or file.stamp != stamp:
                return None
        return cached

    def same_contents(self, folder: Folder, hashes: dict[str, str]) -> CachedFolder | None:
        """The cached folder, when its files were touched but say the same."""
        cached = self.folders.get(folder.name)
        if cached is None or {name: file.sha256 for name, file in cached.files.items()} != hashes:
            return None
        return cached


def cached_files(folder: Folder, hashes: dict[str, str]) -> dict[str, CachedFile]:
    now = time.time_ns()
    return {
        name: CachedFile(stamp, hashes[name], max(stamp.mtime, stamp.ctime) < now - _SETTLED_NS)
        for name, stamp in folder.stamps.items()
    }


def cache_path(artifact: Path) -> Path:
    return artifact.parent / WORKPLACE / f"{artifact.name}.cache"


def note_path(artifact: Path) -> Path:
    """Where the build notes which tools folder an artifact was made from."""
    return artifact.parent / WORKPLACE / f"{artifact.name}.json"


def read_cache(artifact: Path, fingerprint: str) -> Cache:
    try:
        cache = msgspec.msgpack.decode(cache_path(artifact).read_bytes(), type=Cache)
    except (OSError, msgspec.DecodeError):
        return Cache(fingerprint, {})
    return cache if cache.fingerprint == fingerprint else Cache(fingerprint, {})


def write_cache(artifact: Path, cache: Cache) -> None:
    write_atomically(cache_path(artifact), msgspec.msgpack.encode(cache), durable=False)


def fingerprint(targets: tuple[str, ...]) -> str:
    """Of the compiler: its version, its own files, and what it was asked for."""
    digest = hashlib.sha256(f"{ambidex.__version__} {' '.join(targets)}".encode())
    package = Path(ambidex.__file__).parent
    for part in ("contracts", "dialect", "authoring", "arguments", "adapters", "compiler"):
        for directory, _, names in os.walk(package / part):
            for name in sorted(names):
                if name.endswith((".py", ".json")):
                    info = os.stat(os.path.join(directory, name))
                    digest.update(f"{name} {info.st_size} {info.st_mtime_ns}\n".encode())
    return digest.hexdigest()

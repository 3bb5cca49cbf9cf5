"""Where models are, and whether one is whole: a folder with its files and a manifest of their checksums."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec

from ambidex.config import keys
from ambidex.errors import AmbidexError

MANIFEST = "manifest.json"
_FORMAT = 1
_CHUNK = 1 << 20


class ModelError(AmbidexError):
    """A model's files are missing or damaged; the message says what to do."""


class File(msgspec.Struct, frozen=True, kw_only=True):
    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Written last, so that a folder with one was once complete."""

    format: int = _FORMAT
    identity: str
    source: str
    """The package that the weights came in, with its version."""
    files: dict[str, File]


def models_directory() -> Path:
    """Where models are when no configuration says it: the variable of the key, else the key's default."""
    key = keys.MODELS_DIRECTORY
    return Path(os.path.expanduser(os.environ.get(key.variable) or key.default)).absolute()


def read_manifest(folder: Path, identity: str) -> Manifest:
    """The manifest, once every file it names is there with its size. Contents are `check_contents`'s to verify."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except FileNotFoundError:
        raise ModelError(f"there is no model in {folder}; run `ambidex models install`") from None
    except (OSError, msgspec.DecodeError) as error:
        raise _damaged(folder, f"{MANIFEST} cannot be read: {error}") from None
    if (manifest.format, manifest.identity) != (_FORMAT, identity):
        raise _damaged(folder, f"it holds {manifest.identity}, format {manifest.format}, not {identity}")
    for name, file in manifest.files.items():
        if _size(folder / name) != file.size:
            raise _damaged(folder, f"{name} is missing or was cut short")
    return manifest


def check_contents(folder: Path, manifest: Manifest) -> None:
    """Read every file and compare checksums."""
    for name, file in manifest.files.items():
        if checksum(folder / name) != file.sha256:
            raise _damaged(folder, f"{name} was altered")


def write_manifest(folder: Path, *, identity: str, source: str) -> Manifest:
    """Describe every file that is in the folder now."""
    files = {
        path.name: File(size=path.stat().st_size, sha256=checksum(path))
        for path in sorted(folder.iterdir())
        if path.name != MANIFEST
    }
    manifest = Manifest(identity=identity, source=source, files=files)
    (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    return manifest


def checksum(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _damaged(folder: Path, why: str) -> ModelError:
    return ModelError(f"the model in {folder} cannot be used: {why}; run `ambidex models install` to mend it")

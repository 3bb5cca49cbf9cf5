"""tool_registry.json -> Registry. Nothing of the file is believed before its digest holds."""

from __future__ import annotations

import os
import re
from functools import partial

import msgspec

from ambidex.contracts.spec import Artifact
from ambidex.errors import ArtifactError
from ambidex.registry.header import Header, digest, read_header, unknown_version
from ambidex.registry.locate import tools_folder
from ambidex.registry.paths import UnsafePath, check_relative
from ambidex.registry.registry import Registry

_HASH = re.compile(r"[0-9a-f]{64}")
_TOOL_ID = re.compile(r"[a-z][a-z0-9_]{0,63}")
_REBUILD = "run `ambidex build`"


def load(
    path: str | os.PathLike[str],
    *,
    lock: bool = True,
    eager: bool = False,
    tools: str | os.PathLike[str] | None = None,
) -> Registry:
    """A registry from an artifact; raises `ArtifactError` saying which file, what is wrong and what to do.

    `tools` is the folder that the artifact was built from, where it is not beside the artifact. With `eager` every
    validator and handler is made now and the content hash is computed anew, so that a bad tool never reaches a session.
    """
    name = os.fspath(path)
    given = None if tools is None else os.path.abspath(tools)
    data = _read(name)
    artifact = _decode(name, data)
    root = tools_folder(name, artifact.tools[0].handler_path, given) if artifact.tools else given
    again = partial(load, name, lock=False, eager=eager, tools=given)
    registry = Registry(artifact, name, root, again)
    if eager:
        # It brings the validator, which a start that is not eager is spared.
        from ambidex.registry.verify import verify

        verify(registry, data)
    if lock:
        registry.lock()
    return registry


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise ArtifactError(f"{path}: there is no such file; {_REBUILD}, or give the path of an artifact") from None
    except OSError as error:
        raise ArtifactError(f"{path}: cannot be read ({error.strerror}); check the path and its permissions") from None


def _decode(path: str, data: bytes) -> Artifact:
    header = _checked_header(path, data)
    if digest(data, header) != header.integrity:
        what = "was altered after the build" if data.endswith(b"}") else "is cut short"
        raise ArtifactError(f"{path}: {what}: its bytes do not match its integrity digest; {_REBUILD}")
    try:
        artifact = msgspec.json.decode(data, type=Artifact)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ArtifactError(f"{path}: is no artifact: {error}; {_REBUILD}") from None
    _check_contents(path, artifact)
    return artifact


def _checked_header(path: str, data: bytes) -> Header:
    if not data.strip():
        raise ArtifactError(f"{path}: the file is empty; {_REBUILD}")
    header = read_header(data)
    if header is None:
        words = "does not begin like an artifact: it is another file, was edited or is cut short"
        raise ArtifactError(f"{path}: {words}; {_REBUILD}")
    if problem := unknown_version(header):
        raise ArtifactError(f"{path}: {problem}; build it with this version, or run the version that built it")
    return header


def _check_contents(path: str, artifact: Artifact) -> None:
    """What a whole digest does not show: an artifact put together by something other than the build."""
    if not _HASH.fullmatch(artifact.content_hash) or artifact.version != f"1.0.{artifact.content_hash[:8]}":
        words = f"version {artifact.version} does not belong to contentHash {artifact.content_hash[:64]}"
        raise ArtifactError(f"{path}: {words}; {_REBUILD}")
    ids = [tool.tool_id for tool in artifact.tools]
    if len(set(ids)) != len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise ArtifactError(f"{path}: holds the tool {twice!a} twice; {_REBUILD}")
    for tool in artifact.tools:
        if not _TOOL_ID.fullmatch(tool.tool_id):
            raise ArtifactError(f"{path}: {tool.tool_id!a} is no tool id; {_REBUILD}")
        try:
            check_relative(tool.handler_path)
        except UnsafePath as problem:
            raise ArtifactError(
                f"{path}: {tool.tool_id}: handlerPath {tool.handler_path!r} {problem}; {_REBUILD}"
            ) from None
